import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { commandMeant } from '../../src/cli/habits.ts';

test.each(['diff', 'preview', 'sync', 'push', 'dump', 'refresh', 'status', 'rollback', 'lint'])(
  '%s is no command, and means one',
  (word) => {
    expect(Object.keys(COMMANDS)).not.toContain(word);
    expect(Object.keys(COMMANDS)).toContain(commandMeant(word));
  },
);

import { expect, test } from 'vitest';
import { commandMeant } from '../../../src/cli/argv/synonyms.ts';
import { COMMANDS } from '../../../src/cli/commands.ts';

test.each(['diff', 'preview', 'sync', 'push', 'dump', 'refresh', 'status', 'rollback', 'lint'])(
  '%s is no command, and means one',
  (word) => {
    expect(Object.keys(COMMANDS)).not.toContain(word);
    expect(Object.keys(COMMANDS)).toContain(commandMeant(word));
  },
);

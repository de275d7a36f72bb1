import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inTurn } from '../../../src/run/lock/mutex.ts';
import { testFolder } from '../../support/cli.ts';

test('the lock is held until the work has ended, and no longer', async () => {
  const path = join(await testFolder(), 'passwords.lock');
  const work = async () => {
    await delay(100);
    return existsSync(path);
  };
  expect(await inTurn(path, work)).toBe(true);
  expect(existsSync(path)).toBe(false);
});

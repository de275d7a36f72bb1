import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withStore } from '../../src/server/open-store.ts';
import { testFolder } from '../support/cli.ts';

test('what is wrong in the program is not told as a failure of the database', async () => {
  const db = join(await testFolder(), 'websites.db');
  const bug = new TypeError('nothing is not a function');
  const used = withStore(db, () => Promise.reject(bug));
  await expect(used).rejects.toBe(bug);
});

/** An ID that the service uses again during an apply. */
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';
import { scripted } from '../support/scripted-service.ts';

test('a record that the run created under the ID of a planned delete is not deleted', async () => {
  const service = await scripted({ dialect: { reusesIds: true }, records: ['kept.example', 'old.example'] });
  // Somebody else deletes the record right before the create, which gets its ID.
  service.faults = ({ method }) => {
    if (method === 'POST') service.remove(2);
    return undefined;
  };
  const file = 'version: 1\nprune: true\nwebsites: [kept.example, new.example]\n';
  const cwd = await testFolder({ 'websites.yaml': file });
  const options = { cwd, env: service.env };
  const applied = await runBuilt(['apply', '--auto-approve', '--allow-deletes', '1'], options);
  expect(service.records().map(({ id, domain }) => `${id} ${domain}`)).toEqual([
    '1 kept.example',
    '2 new.example',
  ]);
  expect(applied).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('the service shows #2 as new.example'),
  });
});

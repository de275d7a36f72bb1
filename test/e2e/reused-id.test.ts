import { expect, test } from 'vitest';
import { setPlace } from '../support/place.ts';

test('apply does not delete a record that it created under the ID of a planned delete', async () => {
  const file = 'version: 1\nprune: true\nwebsites: [kept.example, new.example]\n';
  const options = { dialect: { reusesIds: true }, records: ['kept.example', 'old.example'] };
  const { service, run } = await setPlace(file, options);
  // Somebody else deletes the record right before the create, which gets its ID.
  service.faults = ({ method }) => {
    if (method === 'POST') service.remove(2);
    return undefined;
  };
  const applied = await run('apply --auto-approve --allow-deletes 1');
  expect(service.records().map(({ id, domain }) => `${id} ${domain}`)).toEqual([
    '1 kept.example',
    '2 new.example',
  ]);
  expect(applied).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('the service shows #2 as new.example'),
  });
});

import { expect, test } from 'vitest';
import { readCurrent } from '../../src/client/read-current.ts';
import type { ReadProgress } from '../../src/model/service.ts';
import { scripted } from '../support/scripted-service.ts';
import { connect, domains, failureOf } from './support.ts';

function listener() {
  const told: ReadProgress[] = [];
  return { told, onRead: (progress: ReadProgress) => void told.push(progress) };
}

test('a listing reports its start, each page with the total, and its end', async () => {
  const { told, onRead } = listener();
  await connect(await scripted({ records: domains(250) }), { onRead, parallelism: 1 }).list();
  expect(told).toEqual([
    { what: 'list', done: 0, ended: false },
    { what: 'list', done: 100, total: 250, ended: false },
    { what: 'list', done: 200, total: 250, ended: false },
    { what: 'list', done: 250, total: 250, ended: false },
    { what: 'list', done: 250, ended: true },
  ]);
});

test('a listing that fails reports its end too', async () => {
  const { told, onRead } = listener();
  const service = await scripted({ records: domains(150) });
  service.faults = ({ query }) =>
    query.page === '2' ? { kind: 'status', status: 403, when: 'before' } : undefined;
  await failureOf(connect(service, { onRead }).list());
  expect(told.at(-1)).toMatchObject({ what: 'list', ended: true });
});

test('look-ups and single reads report how many are done, and of how many', async () => {
  const { told, onRead } = listener();
  const service = await scripted({
    dialect: { paging: 'ignored', hiddenInList: ['email'], www: 'keep' },
    records: domains(150),
  });
  const wanted = ['site-1.example', 'site-2.example', 'new.example'].map((domain) => ({
    domain,
    fields: ['email'] as const,
  }));
  const client = connect(service, { parallelism: 1, onRead });
  await readCurrent(client, await client.list(), wanted);
  expect(told.filter(({ what }) => what === 'find').at(-1)).toEqual({
    what: 'find',
    done: 3,
    total: 3,
    ended: true,
  });
  const reads = told.filter(({ what }) => what === 'read');
  expect(reads).toEqual([
    { what: 'read', done: 1, total: 1, ended: false },
    { what: 'read', done: 1, total: 1, ended: true },
  ]);
});

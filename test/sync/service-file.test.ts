import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createSeals } from '../../src/sync/seals.ts';
import { isOther, readKnowledge, writeKnowledge } from '../../src/sync/service-file.ts';
import { NOTHING_KNOWN } from '../../src/update/knowledge.ts';
import { testFolder } from '../support/cli.ts';
import { createFakeClock } from '../support/clock.ts';

const KNOWN = { stays: new Set(['email=1']), reset: new Set(['exclude_ips']) };
const DAY = 24 * 3_600_000;
const clock = createFakeClock();
const serviceAt = (identity: string, key = 'a-key') => ({
  identity,
  clock,
  seals: createSeals(key, identity),
});
const service = serviceAt('https://a.example');
let root: string;
beforeEach(async () => {
  root = await testFolder();
});
const known = async (at = service) => {
  const { stays, reset } = await readKnowledge(root, at);
  return { stays, reset };
};

test('what a run learned is there for the next one, service by service, for 30 days', async () => {
  expect(await known()).toEqual(NOTHING_KNOWN);
  await writeKnowledge(root, service, KNOWN);
  await writeKnowledge(root, serviceAt('__proto__'), NOTHING_KNOWN);
  expect(await known()).toEqual(KNOWN);
  expect(await known(serviceAt('https://b.example'))).toEqual(NOTHING_KNOWN);
  await clock.sleep(30 * DAY);
  expect(await known()).toEqual(KNOWN);
  await clock.sleep(DAY);
  expect(await known()).toEqual(NOTHING_KNOWN);
});

test.each<[string, (text: string) => string]>([
  ['says more than was written', (text) => text.replace('"email=1"', '"email=1", "email=0"')],
  ['says less', (text) => text.replace('"exclude_ips"', '')],
  ['is of another service', (text) => text.replaceAll('a.example', 'b.example')],
  ['is no JSON', () => '{'],
  ['is another format', (text) => text.replace('service/1', 'service/9')],
])('a file that %s is not believed', async (_, alter) => {
  await writeKnowledge(root, service, KNOWN);
  const path = join(root, '.websites', 'service.json');
  await writeFile(path, alter(await readFile(path, 'utf8')));
  expect(await known()).toEqual(NOTHING_KNOWN);
  expect(await known(serviceAt('https://b.example'))).toEqual(NOTHING_KNOWN);
});

test('a file of another key is not believed', async () => {
  await writeKnowledge(root, service, KNOWN);
  expect(await known(serviceAt('https://a.example', 'another-key'))).toEqual(NOTHING_KNOWN);
});

test('whether something was learned goes by what is known, in whichever order', () => {
  expect(isOther({ ...KNOWN, stays: new Set(['a', 'b']) }, { ...KNOWN, stays: new Set(['b', 'a']) })).toBe(
    false,
  );
  expect(isOther(KNOWN, NOTHING_KNOWN)).toBe(true);
});

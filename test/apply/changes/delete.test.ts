import { beforeEach, describe, expect, it } from 'vitest';
import { createBaseReader } from '../../../src/apply/changes/base-values.ts';
import { executeDelete } from '../../../src/apply/changes/delete.ts';
import type { ChangeOutcome } from '../../../src/apply/changes/outcome.ts';
import type { Change, Delete } from '../../../src/model/change.ts';
import type { DesiredWebsite } from '../../../src/model/website.ts';
import type { Clock } from '../../../src/util/clock.ts';
import { carrying } from '../../support/applying.ts';
import { createFakeClock } from '../../support/clock.ts';
import { createFakeService, type FakeService } from '../../support/fake-service.ts';
import { domainOf, planFor, times, wanted } from '../../support/plans.ts';

const MINUTE = 60_000;

let clock: Clock;
beforeEach(() => {
  clock = createFakeClock();
});

/** The changes from what the service lists to what is wanted, as a plan of this moment has them. */
async function changesOf(
  service: FakeService,
  websites: readonly DesiredWebsite[],
): Promise<readonly Change[]> {
  const listing = await service.list();
  return planFor({ desired: { websites }, current: { websites: listing.websites } }).changes;
}

/** Carries out a delete of a plan whose values were read at `readAt`. */
function deleteIt(service: FakeService, change: Delete, readAt = clock.now()): Promise<ChangeOutcome> {
  const base = createBaseReader(service, clock, { readAt, asking: 1, listRequests: 1 });
  return executeDelete(change, base, carrying(service, clock, {}));
}

/** What was called since the plan was made. */
const story = (service: FakeService): string[] =>
  service.calls.slice(1).map(({ operation, subject }) => `${operation} ${subject}`.trim());

describe('a delete', () => {
  const ENDED = { kind: 'fail', outcome: 'ended', status: 500 } as const;

  it.each([
    ['answered well', undefined, 'done', 0],
    ['refused', { kind: 'refuse', status: 409 } as const, 'failed', 1],
    ['lost, with the record gone', { ...ENDED, carriedOut: 'before' } as const, 'done', 0],
    ['lost, with the record there', { ...ENDED, carriedOut: 'never' } as const, 'unknown', 1],
    ['not sent any more', { kind: 'interrupted' } as const, 'withdrawn', 1],
  ])('that is %s', async (_, fault, fate, left) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com');
    const [change] = await changesOf(service, [wanted('a.example.com', {}, 1, { state: 'absent' })]);
    service.script = ({ operation }) => (operation === 'remove' ? fault : undefined);
    if (change?.action !== 'delete') throw new Error('no delete was planned');
    expect((await deleteIt(service, change)).fate).toBe(fate);
    expect(service.records()).toHaveLength(left);
  });

  it('that was lost, with the record not to be read, is unknown; a refused key is told', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com');
    const [change] = await changesOf(service, [wanted('a.example.com', {}, 1, { state: 'absent' })]);
    if (change?.action !== 'delete') throw new Error('no delete was planned');
    service.script = () => ({ ...ENDED, carriedOut: 'before' });
    expect(await deleteIt(service, change)).toMatchObject({
      fate: 'unknown',
      error: { message: 'Cannot remove a.example.com: 500.' },
    });
    service.script = ({ operation }) =>
      operation === 'read' ? { kind: 'key' } : { ...ENDED, carriedOut: 'never' };
    expect(await deleteIt(service, change)).toMatchObject({
      error: { code: 'key-refused' },
    });
  });

  const CHANGED = 'a.example.com (#1) was changed: email is true and was false.';
  it.each([
    ['read within five minutes', 5 * MINUTE, { email: true }, undefined, 0],
    ['read before, and the same', 5 * MINUTE + 1, {}, undefined, 0],
    ['read before, and changed by others since', 5 * MINUTE + 1, { email: true }, CHANGED, 1],
  ])('of a record that was %s', async (_, ageMs, edit, message, left) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { email: false });
    const [change] = await changesOf(service, [wanted('a.example.com', {}, 1, { state: 'absent' })]);
    if (change?.action !== 'delete') throw new Error('no delete was planned');
    service.edit('1', edit);
    const verdict = await deleteIt(service, change, clock.now() - ageMs);
    expect(verdict).toMatchObject(message ? { fate: 'failed', error: { message } } : { fate: 'done' });
    expect(service.records()).toHaveLength(left);
  });

  it.each([
    ['is gone', undefined, 'done'],
    ['is not a URL', { ...ENDED, carriedOut: 'never' } as const, 'failed'],
    ['is not read any more', { kind: 'interrupted' } as const, 'withdrawn'],
  ])('of a record that was read long ago, and that %s', async (_, fault, fate) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com');
    const [change] = await changesOf(service, [wanted('a.example.com', {}, 1, { state: 'absent' })]);
    if (change?.action !== 'delete') throw new Error('no delete was planned');
    if (fault === undefined) await service.remove('1', 'a.example.com');
    service.script = ({ operation }) => (operation === 'read' ? fault : undefined);
    expect((await deleteIt(service, change, 0)).fate).toBe(fate);
  });

  it('is told by one list where as many deletes went by what was read before', async () => {
    const service = createFakeService({ clock });
    const domains = times(8, domainOf);
    for (const domain of domains) service.insert(domain, { email: false });
    const gone = domains.map((domain, index) => wanted(domain, {}, index + 1, { state: 'absent' }));
    const changes = (await changesOf(service, gone)) as Delete[];
    const base = createBaseReader(service, clock, { readAt: clock.now(), asking: 8, listRequests: 2 });
    for (const [index, change] of changes.entries()) {
      if (index === 5) await clock.sleep(6 * MINUTE);
      await executeDelete(change, base, carrying(service, clock, {}));
    }
    expect(story(service).filter((call) => !call.startsWith('remove'))).toEqual(['list']);
    expect(service.records()).toEqual([]);
  });

  it('is not told by another list where the last one was old before it served as many as it cost', async () => {
    const service = createFakeService({ clock });
    const domains = times(10, domainOf);
    for (const domain of domains) service.insert(domain, { email: false });
    const gone = domains.map((domain, index) => wanted(domain, {}, index + 1, { state: 'absent' }));
    const changes = (await changesOf(service, gone)) as Delete[];
    const base = createBaseReader(service, clock, { readAt: 0, asking: 10, listRequests: 4 });
    for (const change of changes) {
      await executeDelete(change, base, carrying(service, clock, {}));
      await clock.sleep(2 * MINUTE);
    }
    // The list serves three deletes (at 0, 2 and 4 minutes); the next would serve no more.
    const asked = story(service).filter((call) => !call.startsWith('remove'));
    expect(asked).toEqual(['list', ...times(7, (index) => `read ${index + 4}`)]);
  });

  it('is told by one list where many records were read long ago', async () => {
    const service = createFakeService({ clock });
    const domains = times(4, domainOf);
    for (const domain of domains) service.insert(domain, { email: false });
    const gone = domains.map((domain, index) => wanted(domain, {}, index + 1, { state: 'absent' }));
    const changes = (await changesOf(service, gone)) as Delete[];
    service.edit('3', { email: true });
    const base = createBaseReader(service, clock, { readAt: 0, asking: 4, listRequests: 2 });
    const verdicts = [];
    for (const change of changes)
      verdicts.push(await executeDelete(change, base, carrying(service, clock, {})));
    expect(verdicts.map(({ fate }) => fate)).toEqual(['done', 'done', 'failed', 'done']);
    expect(story(service).filter((call) => !call.startsWith('remove'))).toEqual(['list']);
  });
});

/** Typical plans of a review, small and large. */
import type { Plan } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import { absent, domainOf, planFor, shown, times, wanted } from '../support/plans.ts';

const same = times(125, (index) => domainOf(index, 'same.example.com'));
export const sameWanted = same.map((domain) => wanted(domain));
export const sameShown = same.map((domain, index) => shown(domain, 1000 + index));

/** One of each action, and three orphans. */
export const THREE: Plan = planFor({
  desired: {
    websites: [
      wanted(
        'shop.example.com',
        { privacy: 2, password: { env: 'SHOP' }, exclude_ips: ['192.0.2.0/24'] },
        14,
      ),
      wanted('blog.example.com', { privacy: 0, exclude_ips: ['198.51.100.0/24'] }, 21),
      wanted('old.example.com', {}, 24, { state: 'absent' }),
      ...sameWanted,
    ],
    protected: ['c.example.com'],
  },
  current: {
    websites: [
      shown('blog.example.com', 42, { privacy: 1, email: true, exclude_ips: ['192.0.2.1'] }),
      shown('old.example.com', 7, { privacy: 0 }),
      shown('a.example.com', 3),
      shown('b.example.com', 5),
      shown('c.example.com', 9),
      ...sameShown,
    ],
  },
});

/** Two guards, one of them approved, a selection, notes, risks of each level, and settings that are sent along. */
const GUARDED: Plan = planFor({
  desired: {
    websites: [
      wanted('a.example', { email: true, password: { env: 'P' }, exclude_bots: true, favorited_at: true }, 3),
      wanted('b.example', { email: true }, 9),
      wanted('c.example', { password: null }, 12),
      wanted('d.example', { exclude_ips: [] }, 15),
      ...times(4, (index) => absent(`gone-${index}.example`)),
    ],
  },
  current: {
    websites: [
      shown('a.example', 1, { email: false, favorited_at: null }),
      shown('b.example', 2, { email: false, privacy: 2 }),
      shown('c.example', 3, {}, { passwordSet: true }),
      shown('d.example', 4, { exclude_ips: ['192.0.2.1'] }),
      ...times(8, (index) => shown(`gone-${index}.example`, 10 + index)),
    ],
    hidden: ['exclude_bots'],
  },
  options: { domain: ['*.example'], exclude: ['gone-7.*', 'x.*'], allow: { empty: false, updates: 4 } },
  requestsPerSecond: 1,
});

/** The same changes as drift since a revision, and deletes that undo a run. */
export const REVIEW: Plan = {
  ...GUARDED,
  changes: GUARDED.changes.map((change) =>
    change.action === 'delete'
      ? { ...change, cause: 'undo' as const, origin: 'config' as const }
      : { ...change, origin: 'drift' as const },
  ),
  config: { files: [], digest: 'undo of run RUN' },
  options: { ...GUARDED.options, only: 'drift', since: 'v1.2', undoes: 'RUN' },
};

export const NOTHING: Plan = planFor({ desired: { websites: sameWanted }, current: { websites: sameShown } });

/**
 * About `count` changes. One in six is a create, one in fifty is made public, one in ninety loses its
 * password, one in forty is a delete by prune. The others are of a few kinds and have values of their own.
 */
export function manyChanges(count: number): Plan {
  const opened = (index: number): boolean => index % 50 === 0;
  const bare = (index: number): boolean => index % 90 === 1;
  const indexes = times(count, (index) => index);
  return planFor({
    desired: {
      websites: indexes.map((index) =>
        wanted(
          domainOf(index),
          {
            privacy: opened(index) ? 0 : 1,
            exclude_bots: index % 3 !== 0,
            email: true,
            ...(index % 7 === 0 ? { exclude_ips: [`10.0.${index >> 8}.${index % 256}`] } : {}),
            ...(bare(index) ? { password: null } : {}),
          },
          3 + 4 * index,
        ),
      ),
    },
    current: {
      websites: [
        ...indexes
          .filter((index) => index % 6 !== 3)
          .map((index) =>
            shown(
              domainOf(index),
              100 + index,
              { privacy: 1, exclude_bots: index % 5 !== 0, email: false, exclude_ips: ['192.0.2.1'] },
              { passwordSet: bare(index) },
            ),
          ),
        ...times(Math.ceil(count / 40), (index) =>
          shown(domainOf(index, 'gone.example.com'), 90_000 + index),
        ),
      ],
    },
    options: { prune: true },
    requestsPerSecond: 10,
  });
}

export const DONE: Result = {
  format: 'websites.result/1',
  run: '20261120T093000Z-4f2a',
  summary: { created: 3, updated: 1, deleted: 1, unchanged: 125, failed: 0, not_attempted: 0 },
  failures: [],
  not_attempted: [],
  stopped: null,
  interrupted: false,
  converged: true,
  residual: [],
  notes: [],
  requests: 7,
  seconds: 0.4,
};

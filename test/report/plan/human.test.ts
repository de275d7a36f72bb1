import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Plan } from '../../../src/model/plan.ts';
import { domainOf, given, planFor, type Situation, shown, times, wanted } from '../../support/plans.ts';
import { planHuman } from '../render.ts';
import { sameShown, sameWanted, THREE } from '../situations.ts';

const at = (width: number) => ({ color: false, width });
const render = (situation: Situation, width = 80): string => planHuman(planFor(situation), at(width));
const golden = (name: string): string => `../golden/${name}.txt`;

/** `count` records: every third a create, every third an update, no two of them alike. */
function varied(count: number): Situation {
  const ip = (index: number): string => `10.${index >> 16}.${(index >> 8) % 256}.${index % 256}`;
  return given(
    times(count, (index) =>
      wanted(domainOf(index), { exclude_ips: [ip(index)], email: true }, 3 + 4 * index),
    ),
    times(count, (index) => index)
      .filter((index) => index % 3 !== 0)
      .map((index) =>
        shown(domainOf(index), index, {
          exclude_ips: index % 3 === 1 ? ['192.0.2.1'] : [ip(index)],
          email: index % 3 !== 1,
        }),
      ),
    { allow: { empty: false, updates: count } },
  );
}

it('planHuman moves the right column left in a narrow terminal', () => {
  const wide = planHuman(THREE, at(120)).split('\n');
  const narrow = planHuman(THREE, at(60)).split('\n');
  expect(narrow.filter((line) => !wide.includes(line))).toEqual([
    '- delete  old.example.com  #7               websites.yaml:24',
    '~ update  blog.example.com  #42             websites.yaml:21',
    '+ create  shop.example.com                  websites.yaml:14',
    'Orphans (not in the configuration): a.example.com #3,',
    '  b.example.com #5, c.example.com #9 (protected)',
  ]);
});

it('planHuman puts the right column on its own line if it does not fit', () => {
  const domain = 'a-rather-long-name-of-a-subdomain.department.example.com';
  const text = render(given([wanted(domain, {}, 3, { state: 'absent' })], [shown(domain, 42), ...sameShown]));
  expect(text.split('\n').slice(0, 4)).toEqual([
    `- delete  ${domain}  #42`,
    '      websites.yaml:3',
    '    ! data on the service will be lost',
    '      declared as "state: absent"',
  ]);
});

it('planHuman colors signs, risks and list items', () => {
  const text = planHuman(THREE, { color: true, width: 120 });
  expect(text).toContain('\x1b[31m- delete\x1b[0m  \x1b[1mold.example.com\x1b[0m  \x1b[2m#7\x1b[0m');
  expect(text).toContain('    ! \x1b[31mhigh risk: privacy loosened\x1b[0m');
  expect(text).toContain('exclude_ips  \x1b[31m- 192.0.2.1\x1b[0m');
  expect(text).toContain('\x1b[32m+ 198.51.100.0/24\x1b[0m');
});

it('planHuman prints 2,000 identical edits in fewer than 45 lines', async () => {
  const text = render({
    desired: {
      websites: times(2000, (index) =>
        wanted(domainOf(index), { exclude_bots: false, email: index % 2 === 0 }, 3 + index),
      ),
    },
    current: {
      websites: times(1500, (index) =>
        shown(domainOf(index), index, { exclude_bots: true, email: index % 4 === 0 }),
      ),
    },
    requestsPerSecond: 1,
  });
  await expect(text).toMatchFileSnapshot(golden('plan-2000'));
  expect(text.split('\n').length).toBeLessThan(45);
});

it('planHuman prints 10,000 different changes in less than 30 lines', () => {
  const text = render(varied(15_000));
  expect(text.split('\n').length).toBeLessThan(30);
  expect(text).toContain('exclude_ips  (differs from record to record)');
  expect(text).toContain('Shortened. Use --report json=FILE for every domain and value.');
});

it('planHuman names every delete, several per line', async () => {
  const text = render({
    desired: { websites: [wanted('keep.example.com')], protected: ['precious.example.com'] },
    current: {
      websites: [
        shown('keep.example.com', 1),
        shown('precious.example.com', 2),
        ...times(104, (index) => shown(domainOf(index), 100 + index)),
      ],
    },
    options: { prune: true },
  });
  await expect(text).toMatchFileSnapshot(golden('plan-prune'));
  for (const index of times(104, (index) => index))
    expect(text).toContain(`${domainOf(index)} #${100 + index}`);
});

it('planHuman names every change of high risk, and stays within the width', () => {
  const risky = fc.record({
    count: fc.integer({ min: 1, max: 800 }),
    every: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(risky, fc.integer({ min: 60, max: 140 }), ({ count, every }, width) => {
      const plan = planFor(
        given(
          times(count, (index) =>
            wanted(domainOf(index), {
              privacy: index % every === 0 ? 0 : 1,
              exclude_ips: [`10.0.${index >> 8}.${index % 256}`],
            }),
          ),
          times(count, (index) => shown(domainOf(index), index, { privacy: 1, exclude_ips: [] })),
          { allow: { empty: false, updates: count } },
        ),
      );
      const text = planHuman(plan, at(width));
      for (const { domain, risk } of plan.changes) if (risk.level === 'high') expect(text).toContain(domain);
      const [diff = ''] = text.split('\n\n');
      for (const line of diff.split('\n')) expect(line.length).toBeLessThanOrEqual(Math.min(120, width));
    }),
    { numRuns: 30 },
  );
});

const summaries: [string, Partial<Plan>, string][] = [
  [
    'ignored records',
    { summary: { create: 0, update: 0, delete: 0, unchanged: 1, orphan: 0, ignored: 4 } },
    'No changes. 1 website matches the configuration, 4 ignored.',
  ],
  [
    'a plan without websites',
    { summary: { create: 0, update: 0, delete: 0, unchanged: 0, orphan: 0, ignored: 0 } },
    'No changes. No websites matched.',
  ],
];

it.each(summaries)('planHuman sums up %s', (_, parts, expected) => {
  expect(planHuman({ ...planFor({}), guards: [], ...parts }, at(80))).toBe(`${expected}\n`);
});

it('planHuman prints why orphans are kept', () => {
  const current = { websites: [...sameShown, shown('p.example.com', 1), shown('q.example.com', 2)] };
  const desired = { websites: sameWanted, protected: ['p.*', 'q.*'] };
  expect(render({ desired, current })).toContain('2 orphans kept (no --prune).');
  expect(render({ desired, current, options: { prune: true } })).toContain('2 orphans kept (protected).');
  expect(render({ desired, current: { ...current, complete: false }, options: { prune: true } })).toContain(
    '2 orphans kept (the list may be incomplete).',
  );
});

it('planHuman names ten orphans and counts the others', () => {
  const text = render(
    given(sameWanted, [...sameShown, ...times(13, (index) => shown(`o${index}.example.com`, index))]),
  );
  expect(text).toContain('o0.example.com #0');
  expect(text).toMatch(/… and 3\s+more/);
});

it('planHuman shows twenty warnings and counts the others', () => {
  const warnings = times(23, (index) => ({ code: 'value-unreadable', message: `Number ${index}.` }) as const);
  const text = planHuman(
    { ...planFor({}), warnings: [...warnings, { code: 'value-unreadable', message: 'No.' }] },
    at(80),
  );
  expect(text.match(/^warning: /gm)).toHaveLength(20);
  expect(text).toContain('… and 4 more warnings\n');
});

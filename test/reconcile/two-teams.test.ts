/**
 * Two teams on one account: each declares, removes and hands over websites, and reconciles its own repository in turn, killed
 * in any phase of a pass; somebody makes records by hand. At the end every record is where its owner wants it.
 * TWO_TEAMS_PASSES says how many passes each team makes, TWO_TEAMS_SEED which.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededRandom } from '../support/acting/faults.ts';
import { type ActingService, act, type LoggedRequest } from '../support/acting-service.ts';
import { runBuilt } from '../support/built.ts';
import { startCli, testFolder } from '../support/cli.ts';
import { git, scratchRepo } from '../support/scratch-repo.ts';

const {
  TWO_TEAMS_PASSES: passes = '3',
  TWO_TEAMS_SEED: seed = process.env.CI ? '1' : String(Math.floor(Math.random() * 2 ** 31)),
} = process.env;
const PASSES = Number(passes);
const random = seededRandom(Number(seed));
const chance = (of: number): boolean => random() < of;
const oneOf = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];

/** When a pass is killed: at its start, or when it sends the first request of a kind. */
const PHASES: Readonly<Record<string, ((request: LoggedRequest) => boolean) | undefined>> = {
  pull: undefined,
  list: ({ method }) => method === 'GET',
  create: ({ method }) => method === 'POST',
  delete: ({ method }) => method === 'DELETE',
  verify: ({ method }) => method === 'GET',
};

interface Team {
  readonly name: string;
  readonly checkout: string;
  readonly declared: Set<string>;
  readonly ignored: Set<string>;
  /** Removed, and no longer anybody's. */
  readonly removed: Set<string>;
  /** What it declared in a pass that verified: only that is known to be its own. */
  readonly known: Set<string>;
  push(): void;
}

let made = 0;
function fresh(): number {
  made += 1;
  return made;
}
const freshDomain = (owner: string): string => `${owner}${fresh()}.example`;

async function createTeam(folder: string, name: string): Promise<Team> {
  const origin = scratchRepo(await testFolder());
  const [declared, ignored] = [new Set<string>(), new Set<string>()];
  for (let count = 0; count < 12; count += 1) declared.add(freshDomain(name));
  const push = (): void => {
    const text = `prune: removed\nignore: ${JSON.stringify([...ignored])}\nwebsites: ${JSON.stringify([...declared])}\n`;
    origin.commit({ 'websites.yaml': text, 'count.md': String(fresh()) });
  };
  push();
  const checkout = join(folder, name);
  git(folder, 'clone', '--quiet', `file://${origin.work}`, checkout);
  return { name, checkout, declared, ignored, removed: new Set(), known: new Set(), push };
}

/** What a team commits between two passes. */
function change(team: Team, other: Team): void {
  const gone = oneOf([...team.declared]);
  if (gone !== undefined && chance(0.7)) {
    team.declared.delete(gone);
    if (chance(0.3)) {
      team.ignored.add(gone);
      other.declared.add(gone);
      other.removed.delete(gone);
      other.ignored.delete(gone);
      other.push();
    } else team.removed.add(gone);
  }
  if (chance(0.6)) team.declared.add(freshDomain(team.name));
  team.push();
}

/** Kills one pass in `phase`, if it comes to that. */
async function kill(team: Team, service: ActingService, phase: string): Promise<boolean> {
  const args = ['reconcile', '--git', '--once', '--request-timeout', '500ms'];
  const running = startCli(args, { cwd: team.checkout, env: service.env });
  const strikes = PHASES[phase];
  let wrote = false;
  const end = (): void => void running.child.kill('SIGKILL');
  service.faults = (request) => {
    if (strikes?.(request) && (phase !== 'verify' || wrote)) {
      end();
      // The request of a killed run is carried out, now and then.
      return { kind: 'delay', ms: chance(0.5) ? 0 : 30 };
    }
    wrote ||= request.method !== 'GET';
    return undefined;
  };
  if (strikes === undefined) setTimeout(end, 100 + random() * 900);
  const { code } = await running.ended;
  service.faults = undefined;
  return code === null;
}

async function pass(team: Team, service: ActingService): Promise<void> {
  const args = ['reconcile', '--git', '--once', '--request-timeout', '500ms'];
  const ended = await runBuilt(args, { cwd: team.checkout, env: service.env });
  expect({ team: team.name, seed, ...ended }).toMatchObject({ code: 0 });
  for (const domain of team.declared) team.known.add(domain);
}

/** What a team removed, and is gone, somebody may make again: it is theirs from then on. */
function makeAgain(team: Team, service: ActingService, byHand: string[]): number {
  const there = new Set(service.records().map(({ domain }) => domain));
  const free = oneOf([...team.removed].filter((domain) => !there.has(domain)));
  if (free === undefined || !chance(0.3)) return 0;
  service.insert(free, { email: 1 });
  team.removed.delete(free);
  byHand.push(free);
  return 1;
}

test('every record is where its owner wants it', { timeout: 120_000 + PASSES * 60_000 }, async () => {
  const folder = await testFolder();
  const byHand = Array.from({ length: 5 }, () => freshDomain('hand'));
  const service = await act({ records: byHand.map((domain) => ({ domain, email: 1 })) });
  const [a, b] = [await createTeam(folder, 'a'), await createTeam(folder, 'b')];
  for (const team of [a, b]) await pass(team, service);
  const told = { passes: 0, remade: 0, removed: 0 };
  const kills: Record<string, number> = Object.fromEntries(Object.keys(PHASES).map((phase) => [phase, 0]));
  const turns = Array.from({ length: PASSES }, () => [[a, b] as const, [b, a] as const]).flat();
  for (const [turn, [team, other]] of turns.entries()) {
    change(team, other);
    const phase = Object.keys(PHASES)[turn % Object.keys(PHASES).length] ?? 'list';
    if (chance(0.6) && (await kill(team, service, phase))) kills[phase] = (kills[phase] ?? 0) + 1;
    if (chance(0.7)) await pass(team, service);
    told.remade += makeAgain(team, service, byHand);
    told.passes += 1;
  }
  const handMade = () => service.records().filter(({ domain }) => byHand.includes(domain));
  const before = handMade();
  for (const team of [a, b]) await pass(team, service);
  told.removed = a.removed.size + b.removed.size;
  process.stdout.write(`${JSON.stringify({ seed: Number(seed), ...told, kills })}\n`);
  // What a team removed before any pass with it verified may be there still, and is left alone.
  const isLeft = (domain: string): boolean =>
    [a, b].some(({ removed, known }) => removed.has(domain) && !known.has(domain));
  const domains = service.records().flatMap(({ domain }) => (isLeft(domain) ? [] : domain));
  const wanted = [...a.declared, ...b.declared, ...byHand];
  expect(domains.sort(), `seed ${seed}`).toEqual(wanted.toSorted());
  expect(handMade()).toEqual(before);
  expect(before.every(({ email }) => Number(email) === 1)).toBe(true);
});

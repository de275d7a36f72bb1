/** What the apply engine needs, put together for tests over a fake service. */
import type { ApplyOptions } from '../../src/apply/apply.ts';
import type { ExecutionContext } from '../../src/apply/changes/context.ts';
import { createValues } from '../../src/apply/changes/payload.ts';
import { createUpdates, type UpdatesOptions } from '../../src/apply/changes/updates.ts';
import type { Replan, Seen } from '../../src/apply/checks/verify.ts';
import type { Journal } from '../../src/journal/writer.ts';
import { NOT_SAID } from '../../src/model/next-command.ts';
import type { Plan, PlanOptions } from '../../src/model/plan.ts';
import type { RunEvent } from '../../src/model/run.ts';
import { Secret } from '../../src/model/secret.ts';
import type { WebsiteService } from '../../src/model/service.ts';
import type { DesiredWebsite } from '../../src/model/website.ts';
import { NOTHING_KNOWN } from '../../src/update/knowledge.ts';
import type { Clock } from '../../src/util/clock.ts';
import { planFor } from './plans.ts';
import { SEALS } from './seals.ts';

export interface Setting {
  readonly service: WebsiteService;
  readonly clock: Clock;
  readonly desired: readonly DesiredWebsite[];
  readonly planOptions?: Partial<PlanOptions>;
  readonly runsFolder: string;
  readonly more?: Partial<ApplyOptions>;
}

/** A journal that keeps nothing. */
export const NO_JOURNAL: Journal = {
  begin: async () => undefined,
  end: () => undefined,
  owe: async () => undefined,
  restoring: async () => undefined,
  settled: () => undefined,
  sideEffects: () => undefined,
  close: async () => undefined,
};

/** What one change is carried out with, by `rule` and what is known. */
export function carrying(
  service: WebsiteService,
  clock: Clock,
  more: Partial<ExecutionContext> &
    Partial<Pick<UpdatesOptions, 'rule' | 'knowledge' | 'journal' | 'emit' | 'stop'>>,
): ExecutionContext {
  const {
    rule = 'auto',
    knowledge = NOTHING_KNOWN,
    journal = NO_JOURNAL,
    emit = () => {},
    stop = () => {},
    ...rest
  } = more;
  return {
    service,
    clock,
    random: () => 0.5,
    updates: createUpdates({ rule, knowledge, service, journal, emit, stop }),
    values: createValues(new Map([['env:PASSWORD', new Secret('s3cret-value')]]), '2026-03-01T00:00:00Z'),
    www: () => undefined,
    requestTimeoutMs: 30_000,
    timeoutMs: 120_000,
    signal: new AbortController().signal,
    ...rest,
  };
}

export interface Applying {
  /** The plan of this moment. */
  plan(): Promise<Plan>;
  readonly options: ApplyOptions;
  readonly events: readonly RunEvent[];
  /** Ends the run as the first Ctrl-C does. */
  interrupt(): void;
}

export function applying({ service, clock, desired, planOptions, runsFolder, more }: Setting): Applying {
  const events: RunEvent[] = [];
  const controller = new AbortController();
  async function replan(learned: Partial<PlanOptions> = {}, seen?: Seen): Promise<Replan> {
    const { websites, complete, readAt } = seen
      ? { websites: seen.websites, complete: true, readAt: clock.now() }
      : await service.list();
    const lookedUp = seen && { domains: seen.domains, total: undefined, pages: undefined };
    const allow = { empty: true, deletes: 1000, updates: 1000 };
    const plan = planFor({
      desired: { websites: desired },
      current: {
        websites,
        complete,
        readAt,
        provenAbsent: new Set(desired.map(({ domain }) => domain)),
        lookedUp,
      },
      options: { allow, ...planOptions, ...learned },
    });
    return { plan, websites };
  }
  return {
    plan: async () => (await replan()).plan,
    options: {
      service,
      clock,
      random: () => 0.5,
      requestTimeoutMs: 30_000,
      timeoutMs: 120_000,
      parallelism: 4,
      runsFolder,
      seals: SEALS,
      lock: { assertHeld: async () => undefined, release: async () => undefined },
      resolveSecret: async () => new Secret('s3cret-value'),
      replan: (learned, seen) => replan({ ...learned, resend_passwords: false }, seen),
      emit: (event) => events.push(event),
      knowledge: NOTHING_KNOWN,
      signal: controller.signal,
      where: NOT_SAID,
      requests: () => 0,
      ...more,
    },
    events,
    interrupt: () => controller.abort(new Error('interrupted')),
  };
}

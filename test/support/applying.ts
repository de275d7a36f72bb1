/** What the apply engine needs, put together for tests over a fake service. */
import type { ApplyOptions } from '../../src/apply/apply.ts';
import { createValues } from '../../src/apply/values.ts';
import type { Carrier } from '../../src/apply/verdict.ts';
import type { Replan } from '../../src/apply/verify.ts';
import type { Clock } from '../../src/core/clock.ts';
import { NOT_SAID } from '../../src/core/next-command.ts';
import type { Plan, PlanOptions } from '../../src/core/plan.ts';
import type { RunEvent } from '../../src/core/run.ts';
import { Secret } from '../../src/core/secret.ts';
import type { WebsiteService } from '../../src/core/service.ts';
import type { DesiredWebsite } from '../../src/core/website.ts';
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

/** What one change is carried out with. */
export function carrying(service: WebsiteService, clock: Clock, more: Partial<Carrier>): Carrier {
  const { update = 'full' } = more;
  return {
    service,
    clock,
    random: () => 0.5,
    update,
    values: createValues(
      new Map([['env:PASSWORD', new Secret('s3cret-value')]]),
      update,
      '2026-03-01T00:00:00Z',
    ),
    www: () => undefined,
    requestTimeoutMs: 30_000,
    timeoutMs: 120_000,
    ...more,
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
  async function replan(learned: Partial<PlanOptions> = {}): Promise<Replan> {
    const { websites, complete, readAt } = await service.list();
    const allow = { empty: true, deletes: 1000, updates: 1000 };
    const plan = planFor({
      desired: { websites: desired },
      current: { websites, complete, readAt, provenAbsent: new Set(desired.map(({ domain }) => domain)) },
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
      replan: (learned) => replan({ ...learned, resend_passwords: false }),
      emit: (event) => events.push(event),
      signal: controller.signal,
      where: NOT_SAID,
      requests: () => 0,
      ...more,
    },
    events,
    interrupt: () => controller.abort(new Error('interrupted')),
  };
}

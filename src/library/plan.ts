/** Planning, for a program. */
import type { Config } from '../config/load.ts';
import type { Approvals } from '../core/guards.ts';
import type { Plan, PlanOptions } from '../core/plan.ts';
import type { Shard } from '../core/shard.ts';
import { withConnection } from '../sync/connect.ts';
import { planOnce } from '../sync/plan.ts';
import { object, shard, texts, whole, yesOrNo } from './checked.ts';
import type { Configuration } from './configuration.ts';
import { SERVICE_CHECKS, type ServiceOptions } from './settings.ts';
import { connectSettings, sourceOf } from './source.ts';

export interface PlanSettings extends ServiceOptions {
  /** Delete records that the files do not list; wins over the files. */
  readonly prune?: boolean | undefined;
  /** Only these domains; `*` stands for any characters. */
  readonly target?: readonly string[] | undefined;
  /** All but these domains. */
  readonly exclude?: readonly string[] | undefined;
  /** Only the websites of one part of `count`, counted from 0. */
  readonly shard?: Shard | undefined;
  /** Delete before creating, for an account at its limit. */
  readonly deletesFirst?: boolean | undefined;
  /** Send every declared password again. */
  readonly resendPasswords?: boolean | undefined;
  /** What guards would refuse, and is approved. */
  readonly allow?: Partial<Approvals> | undefined;
  /** Milliseconds that the plan may be applied for; a day if not given. */
  readonly maxAgeMs?: number | undefined;
}

/** A hundred years: the time that a plan expires at must be one that can be written. */
const MOST_AGE_MS = 100 * 365 * 24 * 3600 * 1000;

const check = object<PlanSettings>({
  ...SERVICE_CHECKS,
  prune: yesOrNo,
  target: texts,
  exclude: texts,
  shard,
  deletesFirst: yesOrNo,
  resendPasswords: yesOrNo,
  allow: object<Approvals>({ empty: yesOrNo, deletes: whole(0), updates: whole(0) }),
  maxAgeMs: whole(1, MOST_AGE_MS),
});

/**
 * Lists the service and plans. Nothing is written. Guards that trip are in `guards` of the plan; applying it
 * would throw. Throws a WebsitesError: `usage` for a setting that is none, `base-url-invalid` and `key-missing` where no
 * service or no key is named, `file-failed` for a damaged `websites.lock`, `plan-impossible` for records that cannot be
 * planned, else what the service failed of.
 */
export async function plan(configuration: Configuration, settings: PlanSettings = {}): Promise<Plan> {
  check('settings', settings);
  const source = sourceOf(configuration);
  const { config } = source;
  const { maxAgeMs } = settings;
  const options = optionsOf(settings, config);
  return withConnection(connectSettings(settings, source), (connection) =>
    planOnce(config, connection, options, { maxAgeMs, toSave: true }),
  );
}

/** Copies: whoever gave the settings may alter them afterwards, and the plan bears a digest. */
function optionsOf(settings: PlanSettings, config: Config): PlanOptions {
  const { shard, allow } = settings;
  const { www, update = 'auto' } = config.pins;
  return {
    prune: settings.prune ?? config.prune ?? false,
    ...(www === undefined ? {} : { www }),
    update,
    target: [...(settings.target ?? [])],
    exclude: [...(settings.exclude ?? [])],
    ...(shard === undefined ? {} : { shard: { ...shard } }),
    deletes_first: settings.deletesFirst ?? false,
    resend_passwords: settings.resendPasswords ?? false,
    allow: { ...allow, empty: allow?.empty ?? false },
  };
}

/** Planning, for a program. */
import type { Approvals } from '../model/guard.ts';
import type { Plan } from '../model/plan.ts';
import type { Shard } from '../model/shard.ts';
import { withConnection } from '../sync/connect.ts';
import { planOnce } from '../sync/plan.ts';
import { planOptions } from '../sync/plan-options.ts';
import { check, object, shard, texts, whole, yesOrNo } from './checked.ts';
import type { Configuration } from './configuration.ts';
import { SERVICE_CHECKS, type ServiceOptions } from './settings.ts';
import { serviceSettings, sourceOf } from './source.ts';

export interface PlanSettings extends ServiceOptions {
  /** Delete records that the files do not list; wins over the files. */
  readonly prune?: boolean | undefined;
  /** Only these domains; `*` stands for any characters. */
  readonly domain?: readonly string[] | undefined;
  /** All but these domains. */
  readonly exclude?: readonly string[] | undefined;
  /** Names of groups; none means all. */
  readonly group?: readonly string[] | undefined;
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

const SCHEMA = object<PlanSettings>({
  ...SERVICE_CHECKS,
  prune: yesOrNo,
  domain: texts,
  exclude: texts,
  group: texts,
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
  check('settings', SCHEMA, settings);
  const source = sourceOf(configuration);
  const { config } = source;
  const { prune, domain, exclude, group, shard, maxAgeMs } = settings;
  const asked = {
    ...{ prune, domain, exclude, group, shard },
    deletes_first: settings.deletesFirst,
    resend_passwords: settings.resendPasswords,
    allow: { ...settings.allow, empty: settings.allow?.empty ?? false },
  };
  const options = planOptions(asked, config);
  return withConnection(serviceSettings(settings, source), (connection) =>
    planOnce(config, connection, options, { maxAgeMs, toSave: true }),
  );
}

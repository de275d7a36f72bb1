/** Planning, for a program. */
import * as z from 'zod/mini';
import type { Approvals } from '../model/guard.ts';
import type { Plan } from '../model/plan.ts';
import type { PruneRule } from '../model/website.ts';
import { withConnection } from '../sync/connect.ts';
import { planOnce } from '../sync/plan.ts';
import { planOptions } from '../sync/plan-options.ts';
import { compareSince } from '../sync/removals.ts';
import { type Check, check, object, text, texts, whole, yesOrNo } from './checked.ts';
import type { Configuration } from './configuration.ts';
import { SERVICE_CHECKS, type ServiceOptions } from './settings.ts';
import { loadOptionsOf, serviceSettings, sourceOf } from './source.ts';

export interface PlanSettings extends ServiceOptions {
  /** Delete records that the files do not list: all, or those `removed` since; wins over the files. */
  readonly prune?: PruneRule | undefined;
  /** The Git revision that `prune: 'removed'` compares with, such as the commit of the last successful apply. */
  readonly since?: string | undefined;
  /** Only these domains; `*` stands for any characters. */
  readonly domain?: readonly string[] | undefined;
  /** All but these domains. */
  readonly exclude?: readonly string[] | undefined;
  /** Names of groups; none means all. */
  readonly group?: readonly string[] | undefined;
  /** Send every declared password again. */
  readonly resendPasswords?: boolean | undefined;
  /** What guards would refuse, and is approved. */
  readonly allow?: Partial<Approvals> | undefined;
  /** Milliseconds that the plan may be applied for; a day if not given. */
  readonly maxAgeMs?: number | undefined;
}

/** A hundred years: the time that a plan expires at must be one that can be written. */
const MOST_AGE_MS = 100 * 365 * 24 * 3600 * 1000;

const prune: Check = z.union([z.boolean(), z.literal('removed')], {
  error: 'must be true, false or "removed"',
});

const SCHEMA = object<PlanSettings>({
  ...SERVICE_CHECKS,
  prune,
  since: text,
  domain: texts,
  exclude: texts,
  group: texts,
  resendPasswords: yesOrNo,
  allow: object<Approvals>({ empty: yesOrNo, deletes: whole(0), updates: whole(0) }),
  maxAgeMs: whole(1, MOST_AGE_MS),
});

/**
 * Lists the service and plans. Nothing is written. Guards that trip are in `guards` of the plan; applying it
 * would throw. Throws a WebsitesError: `usage` for a setting that is none, `base-url-invalid` and `key-missing` where no
 * service or no key is named, `plan-impossible` for records that cannot be
 * planned, `revision-missing` for `since`, else what the service failed of.
 */
export async function plan(configuration: Configuration, settings: PlanSettings = {}): Promise<Plan> {
  check('settings', SCHEMA, settings);
  const source = sourceOf(configuration);
  const { config } = source;
  const { prune, since, domain, exclude, group, maxAgeMs } = settings;
  const asked = {
    ...{ prune, since, domain, exclude, group },
    resend_passwords: settings.resendPasswords,
    allow: { ...settings.allow, empty: settings.allow?.empty ?? false },
  };
  const options = planOptions(asked, config);
  const service = serviceSettings(settings, source);
  const compared = { config, options: loadOptionsOf(source), baseUrl: service.pins.base_url };
  const extras = since === undefined ? {} : await compareSince(since, compared, prune);
  return withConnection(service, (connection) =>
    planOnce(config, connection, options, { ...extras, maxAgeMs, toSave: true }),
  );
}

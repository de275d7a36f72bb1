/** What a plan goes by: what was asked for, over what the files say. */
import type { Config } from '../config/load.ts';
import type { PlanOptions } from '../model/plan.ts';

/** What may be asked for; what is not has the default of the files, or none. */
export type Asked = {
  readonly [Name in Exclude<keyof PlanOptions, 'www' | 'update' | 'undoes'>]?: PlanOptions[Name] | undefined;
};

/** Copies: whoever asked may alter the lists afterwards, and the plan bears a digest. */
export function planOptions(asked: Asked, { prune, pins }: Pick<Config, 'prune' | 'pins'>): PlanOptions {
  const { since, only, allow } = asked;
  return {
    prune: asked.prune ?? prune ?? false,
    ...(pins.www === undefined ? {} : { www: pins.www }),
    update: pins.update ?? 'auto',
    domain: [...(asked.domain ?? [])],
    exclude: [...(asked.exclude ?? [])],
    ...(asked.group === undefined || asked.group.length === 0 ? {} : { group: [...asked.group] }),
    resend_passwords: asked.resend_passwords ?? false,
    ...(since === undefined ? {} : { since }),
    ...(only === undefined ? {} : { only }),
    ...(asked.fail_on_drift ? { fail_on_drift: true } : {}),
    allow: { ...allow, empty: allow?.empty ?? false },
  };
}

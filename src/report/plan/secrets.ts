/** The secrets that applying a plan takes: where they come from, never what they are. */
import { neededSecrets } from '../../model/change.ts';
import type { Plan } from '../../model/plan.ts';
import type { AsDrift } from '../wording.ts';

/** What is known of the place where a plan is shown; it is no part of the plan. */
export interface Here extends AsDrift {
  /** The secrets that are not set here, by formatted reference; missing where nobody has looked. */
  readonly unset?: { has(reference: string): boolean } | undefined;
  /** Whether a file holds the plan, from which it can be applied. */
  readonly isSaved?: boolean;
}

export interface NeededSecret {
  /** `env:NAME` or `file:PATH`. */
  readonly reference: string;
  readonly isUnset: boolean;
}

/** The variables and files that apply reads, those first that are not set here. A literal comes with its YAML file. */
export function secretsOf({ changes }: Pick<Plan, 'changes'>, { unset }: Here): readonly NeededSecret[] {
  const needed = [...neededSecrets(changes)].flatMap(([reference, ref]) =>
    'yaml' in ref ? [] : { reference, isUnset: unset?.has(reference) ?? false },
  );
  return [...needed.filter(({ isUnset }) => isUnset), ...needed.filter(({ isUnset }) => !isUnset)];
}

/** What a list of them begins with, on every surface. */
export const SECRETS_NEEDED = 'Secrets that apply needs';

export const NOT_SET_HERE = ' (not set here)';

/** Which domains of an import are spoken for. */
import { inScope, matcher } from '../../model/domain.ts';
import type { Place } from '../../model/errors.ts';
import type { Skipped } from '../../model/import-report.ts';
import { otherOf, withOtherNames } from '../../planner/match.ts';
import type { Config } from '../load.ts';

export type WhyNot = Pick<Skipped, 'reason' | 'message'>;

export interface Register {
  /** Why a domain at a place is not to be taken. */
  why(domain: string, place: Place): WhyNot | undefined;
  take(domain: string, place: Place): void;
}

/** Starts with what a configuration declares. */
export function createRegister(config: Pick<Config, 'desired' | 'pins'> | undefined): Register {
  const declared = new Map(config?.desired.websites.map(({ domain, source }) => [domain, source]));
  const taken = new Map<string, Place>();
  const ignore = config?.desired.ignore ?? [];
  const isIgnored = matcher(withOtherNames(ignore, config?.pins));
  const isInScope = inScope(config?.desired.scope);
  const why = (domain: string, place: Place): WhyNot | undefined => {
    const there = declared.get(domain);
    if (there !== undefined) {
      return { reason: 'declared', message: `already declared in ${there.file}:${there.line}` };
    }
    const before = taken.get(domain);
    if (before !== undefined)
      return { reason: 'duplicate', message: `duplicate of ${lineOf(before, place)}` };
    const variant = otherOf(domain, config?.pins);
    const other = variant === undefined ? undefined : (declared.get(variant) ?? taken.get(variant));
    if (other !== undefined)
      return { reason: 'www_variant', message: `www variant of ${lineOf(other, place)}` };
    if (isIgnored(domain)) return { reason: 'ignored', message: 'covered by a pattern under "ignore"' };
    return isInScope(domain) ? undefined : { reason: 'ignored', message: 'outside of "scope"' };
  };
  return { why, take: (domain, place) => taken.set(domain, place) };
}

function lineOf({ file, line }: Place, from: Place): string {
  return file === from.file ? `line ${line}` : `${file}:${line}`;
}

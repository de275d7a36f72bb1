/** What an export has that files do not declare yet, and where the two differ. */
import { compareWebsite } from '../../core/compare.ts';
import { compareDomains, domainKey, matcher } from '../../core/domain.ts';
import type { FieldName } from '../../core/fields.ts';
import { matchWebsites } from '../../core/match.ts';
import type { Place } from '../../core/problem.ts';
import type { Current, Desired, WwwRule } from '../../core/website.ts';
import type { Exported } from './export.ts';

/** A declared record that the service has with other values. */
export interface Differing {
  readonly domain: string;
  readonly source: Place;
  /** None where the files want it deleted. */
  readonly fields: readonly FieldName[];
}

export interface Missing {
  /** The records that no file declares or ignores, and what is to be said of them. */
  readonly exported: Exported;
  /** How many records of the service are declared. */
  readonly declared: number;
  readonly differing: readonly Differing[];
}

/** Compares as a plan does: `www` is the rule of the files, if they have one. */
export function missingFrom(
  desired: Desired,
  current: Current,
  www: WwwRule | undefined,
  exported: Exported,
): Missing {
  const pairs = matchWebsites(desired, current, www)
    .pairs.filter(({ website }) => website !== undefined)
    .sort((a, b) => compareDomains(a.desired.domain, b.desired.domain));
  const meant = new Set(pairs.flatMap(({ website }) => (website ? [domainKey(website.domain)] : [])));
  const isIgnored = matcher(desired.ignore);
  const isMissing = ({ domain }: { readonly domain: string }): boolean =>
    !meant.has(domain) && !isIgnored(domain);
  const { report } = exported;
  return {
    exported: {
      websites: exported.websites.filter(isMissing),
      ignore: [],
      report: {
        placeholders: report.placeholders.filter(isMissing),
        undeclared: report.undeclared.filter(isMissing),
        unlisted: report.unlisted.filter(isMissing),
        duplicates: report.duplicates.filter(isMissing),
        hidden: report.hidden,
      },
    },
    declared: pairs.length,
    differing: pairs.flatMap(({ desired: wanted, website }): Differing[] => {
      const { domain, source } = wanted;
      if (wanted.state === 'absent') return [{ domain, source, fields: [] }];
      if (website === undefined) return [];
      const fields = Object.keys(compareWebsite(wanted, website, () => false).fields) as FieldName[];
      return fields.length === 0 ? [] : [{ domain, source, fields }];
    }),
  };
}

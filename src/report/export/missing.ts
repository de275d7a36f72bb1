import { compareDomains, domainKey } from '../../model/domain.ts';
import type { Place } from '../../model/errors.ts';
import { FIELDS, type FieldName, type Settings } from '../../model/field-table.ts';
import type { Current, Desired } from '../../model/website.ts';
import { compareWebsite } from '../../planner/diff.ts';
import { ignoring, matchWebsites, type Names } from '../../planner/match.ts';
import type { Exported, Undeclared } from './export.ts';

export interface Differing {
  readonly domain: string;
  readonly source: Place;
  /** Empty if the files want it deleted. */
  readonly fields: readonly FieldName[];
}

export interface Missing {
  /** The records that no file declares or ignores, with their report. */
  readonly exported: Exported;
  readonly declared: number;
  readonly differing: readonly Differing[];
}

interface Files {
  readonly desired: Desired;
  readonly defaults: Settings;
  readonly pins: Names;
}

/** Compares as a plan does. */
export function missingFrom(
  { desired, defaults, pins }: Files,
  current: Current,
  exported: Exported,
): Missing {
  const pairs = matchWebsites(desired, current, pins)
    .pairs.flatMap(({ desired: wanted, website }) => (website === undefined ? [] : [{ wanted, website }]))
    .sort((a, b) => compareDomains(a.wanted.domain, b.wanted.domain));
  const meant = new Set(pairs.map(({ website }) => domainKey(website.domain)));
  const isIgnored = ignoring(desired, current, pins);
  const isMissing = ({ domain }: { readonly domain: string }): boolean =>
    !meant.has(domain) && !isIgnored(domain);
  const { report } = exported;
  const undeclared = report.undeclared.filter(isMissing);
  const replaced = new Map(
    undeclared.filter((one) => isReplaced(one, defaults)).map((one) => [one.domain, one]),
  );
  return {
    exported: {
      websites: exported.websites.filter((website) => isMissing(website) && !replaced.has(website.domain)),
      ignore: [],
      report: {
        placeholders: report.placeholders.filter((one) => isMissing(one) && !replaced.has(one.domain)),
        undeclared: undeclared.filter(({ domain }) => !replaced.has(domain)),
        unlisted: [
          ...report.unlisted.filter(isMissing),
          ...[...replaced.values()].map(({ domain, field, reason }) => ({
            domain,
            reason: `its ${field} ${reason}, and the defaults of the file would replace it`,
          })),
        ],
        duplicates: report.duplicates.filter(isMissing),
        hidden: report.hidden,
      },
    },
    declared: pairs.length,
    differing: pairs.flatMap(({ wanted, website }): Differing[] => {
      const { domain, source } = wanted;
      if (wanted.state === 'absent') return [{ domain, source, fields: [] }];
      const fields = Object.keys(compareWebsite(wanted, website, false).fields) as FieldName[];
      return fields.length === 0 ? [] : [{ domain, source, fields }];
    }),
  };
}

/** A default password is for records that need one, and those declare theirs; `null` is for all. */
function isReplaced({ field }: Undeclared, defaults: Settings): boolean {
  return FIELDS[field].secret ? defaults[field] === null : defaults[field] !== undefined;
}

/** Joins the content of all files into one configuration (decision: "Files are joined into one configuration"). */
import { isDeepStrictEqual } from 'node:util';
import { matcher } from '../../model/domain.ts';
import { formatPlace } from '../../model/errors.ts';
import { FIELD_NAMES, SECRET_NAMES } from '../../model/field-table.ts';
import type { Desired, DesiredWebsite, Provenance, PruneRule } from '../../model/website.ts';
import { joinShortened } from '../../util/text.ts';
import type { BulkFiles } from '../bulk/files.ts';
import type { ConfigFile } from '../files/files.ts';
import { FILE_KEYS, fieldOf, SERVICE_KEYS, type ServicePins } from '../schema/keys.ts';
import {
  type DeclaredGroup,
  type Inherited,
  inheritedOf,
  type ReadContext,
  readWebsites,
} from './records.ts';
import { type Finding, isMap, type Path, type Scope, Spot } from './source.ts';
import { type DeclaredTarget, readTargets, whyNoPassword } from './targets.ts';
import { readMap, readSettings } from './validate.ts';

interface KnownGroup extends Pick<DeclaredGroup, 'inherited'> {
  readonly file: ConfigFile;
  readonly path: Path;
}

export interface Combined {
  readonly desired: Desired;
  readonly pins: ServicePins;
  readonly targets: readonly DeclaredTarget[];
  readonly prune: PruneRule | undefined;
  readonly outermost: Inherited;
  readonly groups: ReadonlyMap<string, KnownGroup>;
  /** Returns the origin of each value of the record at an index. Keeps the content of the files in memory. */
  readonly provenance: (index: number) => readonly Provenance[];
  /** Returns the place of the record at an index. Keeps the content of the files in memory. */
  readonly origin: (index: number) => RecordOrigin;
}

type Patterns = readonly string[];

export function combine(
  scopes: readonly Scope[],
  bulkFiles: BulkFiles,
  {
    target,
    withoutRecords,
  }: { readonly target?: string | undefined; readonly withoutRecords?: boolean | undefined },
): Combined {
  const byName = new Map<string, DeclaredTarget>();
  const tops = scopes.map((scope) => readTop(scope, byName));
  const outermost = inheritedOf(
    agreed(tops.map(({ at, defaults }) => ({ at: at.in('defaults'), values: defaults }))),
  );
  const declared = createDeclarations();
  const reading: ReadContext = { groups: new Map(), declared, bulkFiles, later: [] };
  for (const { at, map } of withoutRecords ? [] : tops) {
    readWebsites({ at: at.in('websites'), value: map.websites, inherited: outermost, depth: 0 }, reading);
  }
  for (const read of reading.later) read();
  const targets = [...byName.values()];
  const own = targets.find(({ name }) => name === target)?.scope;
  // The scope of a target replaces that of the files. If there are several targets and none is chosen, the scope is
  // unknown.
  const isKnown = target !== undefined || targets.length === 0;
  const patterns = isKnown ? (own ?? distinct(tops.flatMap(({ values }) => values.scope ?? []))) : [];
  const scope = patterns.length > 0 ? patterns : undefined;
  const ignore = tops.flatMap(({ at, values }) =>
    (values.ignore ?? []).map((pattern, index) => ({ pattern, at: at.in('ignore', index) })),
  );
  reportMisplaced(declared, ignore, scope, targets);
  // Copies only what is needed, so that the content of the files does not stay in memory.
  const known = Array.from(reading.groups, ([name, { inherited, at }]) => {
    return [name, { inherited, file: at.scope.file, path: at.path }] as const;
  });
  return {
    desired: {
      websites: declared.websites,
      ignore: distinct(ignore.map(({ pattern }) => pattern)),
      protected: distinct(tops.flatMap(({ values }) => values.protected ?? [])),
      ...(known.length > 0 && {
        groups: new Map(Array.from(reading.groups, ([name, { parent }]) => [name, parent])),
      }),
      ...(scope && { scope }),
    },
    outermost,
    groups: new Map(known),
    provenance: (index) => {
      const defaults = tops.map(({ at, map }) => ({ at: at.in('defaults'), map: map.defaults }));
      return provenanceOf(
        declared.originOf(index),
        declared.websites[index]?.group,
        reading.groups,
        defaults,
      );
    },
    origin: declared.originOf,
    pins: agreed(tops.map(({ at, pins }) => ({ at: at.in('service'), values: pins }))),
    targets,
    prune: agreed(tops.map(({ at, values: { prune } }) => ({ at, values: { prune } }))).prune,
  };
}

function readTop(scope: Scope, targets: Map<string, DeclaredTarget>) {
  const at = new Spot(scope, []);
  const { value } = scope.document;
  const values = readMap(at, value, FILE_KEYS);
  if (value === null || value === undefined) {
    at.report({ message: 'the file is empty', remedy: 'Write "websites: []" to declare no websites.' });
  }
  const map = isMap(value) ? value : {};
  readTargets(at.in('targets'), map.targets, targets);
  return {
    at,
    map,
    values,
    pins: readMap(at.in('service'), map.service, SERVICE_KEYS),
    defaults: readSettings(at.in('defaults'), map.defaults),
  };
}

function distinct(patterns: Patterns): Patterns {
  return [...new Set(patterns)];
}

const MAX_REPORTED = 1000;

/** Reports records that are declared twice, ignored or out of scope, and API keys that are used as passwords. */
function reportMisplaced(
  { websites, originOf }: Declarations,
  ignore: readonly { readonly pattern: string; readonly at: Spot }[],
  scope: Patterns | undefined,
  targets: readonly DeclaredTarget[],
): void {
  const [isIgnored, isWithin] = [matcher(ignore.map(({ pattern }) => pattern)), matcher(scope ?? ['*'])];
  const isUnique = new Set(websites.map(({ domain }) => domain)).size === websites.length;
  if (isUnique && ignore.length === 0 && scope === undefined && targets.length === 0) return;
  const known = new Map<string, number>();
  const domainAt = (index: number): Spot => originOf(index).at.in('domain');
  let left = MAX_REPORTED;
  const whyNot = ({ domain, settings }: DesiredWebsite, earlier: number | undefined): Finding | undefined => {
    if (earlier !== undefined) {
      const message = `${domain} is declared twice, first at ${formatPlace(domainAt(earlier).place)}`;
      return { message, remedy: 'Remove one of the two declarations.' };
    }
    if (isIgnored(domain)) {
      const by = ignore.find(({ pattern }) => matcher([pattern])(domain));
      const pattern = `${JSON.stringify(by?.pattern)} (${by && formatPlace(by.at.place)})`;
      const message = `${domain} is declared, and ignored by ${pattern}`;
      return { message, remedy: 'Remove the website, or change the pattern.' };
    }
    if (!isWithin(domain)) {
      const message = `${domain} is outside of the scope (${joinShortened(scope ?? [])})`;
      const remedy = 'Add a pattern to "scope", or declare the website in the files of its owner.';
      return { message, remedy };
    }
    return SECRET_NAMES.map((name) => whyNoPassword(settings[name], targets)).find(Boolean);
  };
  for (const [index, website] of websites.entries()) {
    const earlier = known.get(website.domain);
    if (earlier === undefined) known.set(website.domain, index);
    const finding = whyNot(website, earlier);
    if (finding !== undefined && left-- > 0) domainAt(index).report(finding);
  }
}

/**
 * Returns the values that several files declare. Reports different values with both places, and without the values,
 * which may be secrets.
 */
function agreed<T extends object>(parts: readonly { readonly at: Spot; readonly values: T }[]): Partial<T> {
  const declared = new Map<string, { readonly at: Spot; readonly value: unknown }>();
  for (const { at, values } of parts) {
    for (const [name, value] of Object.entries(values)) {
      const one = declared.get(name);
      if (one === undefined && value !== undefined) declared.set(name, { at: at.in(name), value });
      if (one === undefined || value === undefined || isDeepStrictEqual(sorted(one.value), sorted(value)))
        continue;
      at.in(name).report({
        message: `${name} differs from ${formatPlace(one.at.place)}`,
        remedy: 'Declare the key in only one file, or with the same value in both files.',
      });
    }
  }
  return Object.fromEntries([...declared].map(([name, { value }]) => [name, value])) as Partial<T>;
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : value;
}

/** A list of records in YAML, or the rows of a bulk file. */
export interface RecordSource {
  readonly at: Spot;
  /** Returns the record at an index or offset as written. A row is read again. */
  readonly rawAt: (at: number) => unknown;
}

export interface RecordOrigin {
  readonly at: Spot;
  readonly raw: () => unknown;
}

export type Declarations = ReturnType<typeof createDeclarations>;

export function createDeclarations() {
  const websites: DesiredWebsite[] = [];
  const lists: RecordSource[] = [];
  const places: number[] = [];
  return {
    websites: websites as readonly DesiredWebsite[],
    add(website: DesiredWebsite, list: RecordSource, at: number) {
      websites.push(website);
      lists.push(list);
      places.push(at);
    },
    originOf(index: number): RecordOrigin {
      const place = places[index] as number;
      const { at, rawAt } = lists[index] as RecordSource;
      return { at: at.in(place), raw: () => rawAt(place) };
    },
  };
}

interface DefaultsLevel extends Pick<Provenance, 'level' | 'group'> {
  readonly at: Spot;
  readonly map: unknown;
}

/** Returns the nearest level that declares each field of a record. `tops` are the defaults of the files. */
function provenanceOf(
  { at, raw }: RecordOrigin,
  group: string | undefined,
  groups: ReadonlyMap<string, DeclaredGroup>,
  tops: readonly Omit<DefaultsLevel, 'level'>[],
): readonly Provenance[] {
  const levels: DefaultsLevel[] = [{ level: 'record', at, map: raw() }];
  for (let name = group; name !== undefined; name = groups.get(name)?.parent) {
    const around = groups.get(name);
    if (around === undefined) continue;
    levels.push({ level: 'group', group: name, at: around.at.in('defaults'), map: around.map.defaults });
  }
  levels.push(...tops.map((top) => ({ level: 'file' as const, ...top })));
  return FIELD_NAMES.flatMap((field): Provenance[] => {
    for (const { at: spot, map, ...level } of levels) {
      const key = isMap(map) ? Object.keys(map).find((one) => fieldOf(one) === field) : undefined;
      if (key !== undefined) return [{ field, ...level, place: spot.in(key).place }];
    }
    return [];
  });
}

/** The top of a file: its keys but for the records. */
import type { PruneRule } from '../../model/website.ts';
import {
  ANCHOR_KEY,
  FILE_KEYS,
  type Key,
  PATTERN_KEYS,
  PIN_NAMES,
  PRUNE_KEY,
  SETTING_KEYS,
  type ServicePins,
  VERSION,
} from '../schema/keys.ts';
import { gluedKey } from './other-names.ts';
import { type DeclaredScope, readPatterns, readScope } from './patterns.ts';
import { type ReadSettings, readSettings } from './settings.ts';
import type { Path } from './source.ts';
import { type DeclaredTarget, readPins, readTargets } from './targets.ts';
import type { Declared } from './validate.ts';
import {
  isMap,
  type Mapping,
  missingSpace,
  readMap,
  readOptional,
  type Scope,
  tell,
  tellUnknown,
} from './validate.ts';

export interface Top {
  readonly scope: Scope;
  readonly pins: ServicePins;
  readonly targets: readonly DeclaredTarget[];
  readonly prune: Declared<PruneRule> | undefined;
  /** Missing where the file has none. */
  readonly within: DeclaredScope | undefined;
  /** With the map that declares them. */
  readonly defaults: ReadSettings & { readonly map: Mapping };
  readonly ignore: readonly Declared<string>[];
  readonly protected: readonly Declared<string>[];
  /** What stands under `websites`, not read yet. */
  readonly websites: unknown;
}

/** Reads the top of a file; `undefined` where it is of no use at all, and that has been told. */
export function readTop(scope: Scope): Top | undefined {
  const map = topMap(scope);
  if (map === undefined) return undefined;
  const known = Object.keys(FILE_KEYS);
  for (const key of Object.keys(map)) {
    if (known.includes(key) || ANCHOR_KEY.test(key)) continue;
    tellUnknown(
      scope,
      [key],
      known,
      known.filter((one) => !(one in map)),
    );
  }
  return {
    scope,
    pins: readService(scope, map.service),
    targets: readTargets(scope, map.targets),
    prune: readDeclared(scope, ['prune'], PRUNE_KEY, map.prune),
    within: readScope(scope, [], map.scope),
    defaults: readDefaults(scope, map.defaults),
    ignore: readPatterns(scope, ['ignore'], PATTERN_KEYS.ignore, map.ignore),
    protected: readPatterns(scope, ['protected'], PATTERN_KEYS.protected, map.protected),
    websites: map.websites,
  };
}

function topMap(scope: Scope): Mapping | undefined {
  const { value } = scope.document;
  const keys = Object.keys(FILE_KEYS).join(', ');
  if (value === null || value === undefined) {
    tell(scope, [], {
      message: 'the file is empty',
      remedy: 'Write "websites: []" to declare none.',
    });
    return undefined;
  }
  if (!isMap(value)) {
    const glued = typeof value === 'string' ? gluedKey(value) : undefined;
    const remedy = Array.isArray(value) ? 'Put the list under the key websites.' : undefined;
    const message = `the top of a file must be a map with the keys ${keys}`;
    tell(scope, [], glued === undefined ? { message, remedy } : missingSpace(glued));
    return undefined;
  }
  return isKnownVersion(scope, value.version) ? value : undefined;
}

/** Of a file in another version nothing else is said: what is wrong there is not known here. */
function isKnownVersion(scope: Scope, version: unknown): boolean {
  if (version === undefined || version === VERSION) return true;
  if (typeof version !== 'number') {
    tell(scope, ['version'], {
      message: `version must be ${VERSION}`,
      remedy: `Write version: ${VERSION}.`,
    });
    return true;
  }
  tell(scope, ['version'], {
    message: `unknown format version ${version}: this release reads version ${VERSION}`,
    remedy: `Install a release of websites-as-code that reads version ${version}, or write version: ${VERSION}.`,
  });
  return false;
}

function readDeclared<T>(scope: Scope, path: Path, key: Key<T>, raw: unknown): Declared<T> | undefined {
  const value = readOptional(scope, path, key, raw);
  return value === undefined ? undefined : { value, scope, path };
}

function readService(scope: Scope, raw: unknown): ServicePins {
  const map = readMap(scope, ['service'], raw, PIN_NAMES)?.map ?? {};
  return readPins(scope, ['service'], map);
}

function readDefaults(scope: Scope, raw: unknown): Top['defaults'] {
  const map = readMap(scope, ['defaults'], raw, Object.keys(SETTING_KEYS))?.map ?? {};
  return { map, ...readSettings(scope, ['defaults'], map) };
}

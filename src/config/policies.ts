/** Policies: YAML files that a flag names, and that no configuration can name. */
import { WebsitesError } from '../model/errors.ts';
import type { Policies, Policy } from '../model/policy.ts';
import { sha256 } from '../util/node/sha256.ts';
import { readThere } from './files/disk.ts';
import { findFiles, type Stdin } from './files/files.ts';
import { readYamlFiles } from './files/yaml-files.ts';
import type { Path } from './read/document.ts';
import { valueMeant } from './read/meant-value.ts';
import { refuseInvalid, sortProblems } from './read/problems.ts';
import { problemAt, type Range } from './read/source.ts';
import { isMap, type Mapping, placeOf, readMap, type Told, tell, tellUnknown } from './read/validate.ts';
import type { Key } from './schema/keys.ts';
import { POLICY_KEYS, REQUIRED_POLICY_KEYS } from './schema/policy-keys.ts';

const NAMES = Object.keys(POLICY_KEYS);

/**
 * Reads the policies of a file, or of the YAML files of a directory. Throws `policy-invalid` with every problem of every
 * file, and `file-failed`.
 */
export async function loadPolicies(
  path: string,
  { cwd, stdin }: { readonly cwd: string; readonly stdin: Stdin },
): Promise<Policies> {
  const { files, folder } = await findFiles([path], { cwd }).catch(notFound(path));
  if (files.length === 0) throw noPolicies(`No YAML file found in ${path}.`);
  const read = await readYamlFiles(files, stdin, { folder, allowPaths: [], readAt: readThere });
  const problems = [...read.problems];
  const all = new Map<string, Policy>();
  for (const { document } of read.documents) readDocument({ document, problems }, all);
  refuseInvalid(sortProblems(problems), 'policy-invalid', 'Fix the policies.');
  const digests = read.files.map(({ digest }) => digest).sort();
  return { all: [...all.values()], digest: sha256(digests.join('\n')) };
}

function notFound(path: string): (error: unknown) => never {
  return (error) => {
    const isMissing = error instanceof WebsitesError && error.code === 'config-missing';
    throw isMissing ? noPolicies(`Cannot read ${path}: file not found.`) : error;
  };
}

function noPolicies(message: string): WebsitesError {
  return new WebsitesError('policy-invalid', message, {
    remedy: 'Check --policy or WEBSITES_POLICY: it names a YAML file, or a directory of them.',
  });
}

/** Adds the policies of a document to `all`, by their names. */
function readDocument(scope: Told, all: Map<string, Policy>): void {
  const { value } = scope.document;
  if (!isMap(value) || !Array.isArray(value.policies)) {
    tell(scope, isMap(value) && 'policies' in value ? ['policies'] : [], {
      message: 'a file of policies must be a map with the list policies',
      remedy: 'Write "policies: []" to declare none.',
    });
    return;
  }
  for (const key of Object.keys(value)) if (key !== 'policies') tellUnknown(scope, [key], ['policies']);
  for (const [index, raw] of value.policies.entries()) {
    const path = ['policies', index];
    const policy = readPolicy(scope, path, raw);
    if (policy === undefined) continue;
    const first = all.get(policy.name);
    if (first === undefined) all.set(policy.name, policy);
    else {
      const { file, line } = first.place;
      const message = `the policy ${policy.name} is declared twice, first in ${file}:${line}`;
      tell(scope, [...path, 'name'], { message, remedy: 'Give each policy a name of its own.' });
    }
  }
}

function readPolicy(scope: Told, path: Path, raw: unknown): Policy | undefined {
  const map = readMap(scope, path, raw ?? {}, NAMES)?.map;
  if (map === undefined) return undefined;
  const told = scope.problems.length;
  const missing = REQUIRED_POLICY_KEYS.filter((name) => map[name] === undefined);
  if (missing.length > 0) tell(scope, path, { message: `a policy needs ${missing.join(', ')}` });
  const read = <T>(name: keyof typeof POLICY_KEYS, key: Key<T>): T =>
    readKey(scope, path, name, key, map) as T;
  const policy = {
    name: read('name', POLICY_KEYS.name),
    on: read('on', POLICY_KEYS.on),
    match: read('match', POLICY_KEYS.match),
    rule: read('rule', POLICY_KEYS.rule),
    message: read('message', POLICY_KEYS.message),
    level: read('level', POLICY_KEYS.level),
    place: placeOf(scope, path),
  };
  if (scope.problems.length > told) return undefined;
  return {
    ...policy,
    problemAt(part, start, end, message) {
      const { source, hidden, locate } = scope.document;
      const whole = locate([...path, part]);
      const range = rangeIn(source.text, whole, policy[part] ?? '', start, end);
      return problemAt(source, range, { message: `${policy.name}: ${part}: ${message}` }, hidden);
    },
  };
}

/** The value of a key of a policy, if there is one; what is wrong with it is told. No variable is put into it. */
function readKey<T>(scope: Told, path: Path, name: string, key: Key<T>, map: Mapping): T | undefined {
  const raw = map[name];
  if (raw === undefined) return undefined;
  const result = key.schema.safeParse(raw);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  tell(scope, [...path, name], {
    message: `${name} ${issue?.message}`,
    remedy: valueMeant(name, key, raw),
  });
  return undefined;
}

/**
 * Where the part of a text from `start` to `end` is written, in whatever style of YAML; all of it where escapes keep that
 * from being told.
 */
function rangeIn(source: string, whole: Range, text: string, start: number, end: number): Range {
  const at = placesIn(source.slice(whole.start, whole.end), text);
  const first = at?.[Math.min(start, at.length - 1)];
  const last = at?.[Math.min(Math.max(start, end - 1), at.length - 1)];
  if (first === undefined || last === undefined) return whole;
  return { start: whole.start + first, end: whole.start + last + 1 };
}

/** Where each unit of a text is in what it was read from, where space alone may differ. */
function placesIn(raw: string, text: string): readonly number[] | undefined {
  const at: number[] = [];
  let next = /^(?:[|>][^\n]*\n|["'])?/.exec(raw)?.[0].length ?? 0;
  for (const unit of text.split('')) {
    const isSpace = /\s/.test(unit);
    while (!isSpace && /\s/.test(raw[next] ?? '')) next += 1;
    if (!isSpace && raw[next] !== unit) return undefined;
    at.push(next);
    if (!isSpace) next += 1;
  }
  return at;
}

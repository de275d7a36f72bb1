/** Arbitrary values for every renderer, with every text as hostile as possible. */

import fc, { type Arbitrary } from 'fast-check';
import type { Change, FieldChange, FieldChanges } from '../../src/model/change.ts';
import { type Place, type Problem, WARNING_CODES, WebsitesError } from '../../src/model/errors.ts';
import { FIELD_NAMES, FIELDS, type FieldName } from '../../src/model/field-table.ts';
import type { Value } from '../../src/model/field-types.ts';
import type { Guard, Plan } from '../../src/model/plan.ts';
import { RISK_LEVELS } from '../../src/model/risk.ts';
import type { Failure, Residual, Result, RunEvent, Subject } from '../../src/model/run.ts';
import { codePoint } from '../support/code-point.ts';
import { planFor } from '../support/plans.ts';

/** Characters that no output may contain, except line breaks; written independently of src. */
export const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e0fff}]/u;

const NASTY = [
  ...['\x1b[31m', '\x1b]0;title\x07', '\x9b2J', '\r', '\n', '\r\n', '\t', '\0', '\x7f', '\u202e', '\u2066'],
  ...[
    '\u2028',
    '\u200b',
    '\ufeff',
    '\u{e0041}',
    '\ud83d',
    ' ::error::',
    '::add-mask::',
    '##[error]',
    '##vso[',
  ],
  ...[
    '<script>',
    '</script>',
    '<!--',
    '-->',
    '<img src=x onerror=alert(1)>',
    '`|`',
    '````',
    '~~~',
    '$`x`$',
    '|',
  ],
  ...[' @team ', ' #12 ', ' /close ', '](https://evil.example)', '![', 'https://evil.example ', ' deadbeef'],
  ...['www.evil.example', '&lt;', '\\', ' → ', ' ', '字', '👩‍🚀'],
];

export const hostileText: Arbitrary<string> = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 3 }))).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.repeat(20)),
);

const some = <T>(item: Arbitrary<T>): Arbitrary<T[]> => fc.array(item, { maxLength: 14 });
const optional = <T>(item: Arbitrary<T>): Arbitrary<T | undefined> => fc.option(item, { nil: undefined });

function compact<T extends object>(value: { [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}

const place: Arbitrary<Place> = fc.record({
  file: hostileText,
  line: fc.integer({ min: 1, max: 99_999 }),
  column: fc.integer({ min: 1, max: 500 }),
});

const secretRef = fc.oneof(
  hostileText.map((env) => ({ env })),
  hostileText.map((file) => ({ file })),
);

function fieldValue(name: FieldName): Arbitrary<Value> {
  if (FIELDS[name].secret) return fc.oneof(secretRef, fc.constant(null));
  if (name === 'exclude_ips' || name === 'exclude_params') return some(hostileText);
  if (name === 'favorited_at') return fc.oneof(fc.constantFrom(true, null), hostileText);
  return fc.oneof(fc.boolean(), fc.integer(), hostileText);
}

function fieldChange(name: FieldName): Arbitrary<FieldChange> {
  const value = fieldValue(name);
  if (FIELDS[name].secret) return value.map((ref) => ({ sensitive: true, ref }) as FieldChange);
  return fc
    .record({ before: optional(value), after: value })
    .map((change) => compact<{ before?: Value; after: Value }>(change));
}

const fieldChanges: Arbitrary<FieldChanges> = fc.record(
  Object.fromEntries(FIELD_NAMES.map((name) => [name, fieldChange(name)])),
  { requiredKeys: [] },
);

const settings = fc.record(
  Object.fromEntries(
    FIELD_NAMES.filter((name) => FIELDS[name].secret !== true).map((name) => [name, fieldValue(name)]),
  ),
  { requiredKeys: [] },
);

const common = {
  domain: hostileText,
  risk: fc.record({ level: fc.constantFrom(...RISK_LEVELS), reason: hostileText }),
  notes: fc.array(hostileText, { maxLength: 3 }),
  origin: fc.constantFrom('config' as const, 'drift' as const, 'both' as const),
};

export const change: Arbitrary<Change> = fc.oneof(
  fc.record({ action: fc.constant('create' as const), ...common, fields: fieldChanges, source: place }),
  fc.record({
    action: fc.constant('update' as const),
    ...common,
    id: hostileText,
    before: settings,
    fields: fieldChanges,
    alongside: fieldChanges,
    source: place,
  }),
  fc
    .record({
      action: fc.constant('delete' as const),
      ...common,
      id: hostileText,
      before: settings,
      cause: fc.constantFrom('prune' as const, 'absent' as const, 'undo' as const),
      source: optional(place),
    })
    .map((value) => compact(value) as Change),
);

const guard: Arbitrary<Guard> = fc.record({
  code: fc.constantFrom('empty' as const, 'deletes' as const, 'duplicates' as const),
  message: hostileText,
  remedy: hostileText,
  approved: fc.boolean(),
});

/** An arbitrary plan; its summary and digest do not match its changes. */
export const plan: Arbitrary<Plan> = fc
  .record({
    changes: some(change),
    orphans: some(fc.record({ domain: hostileText, id: hostileText, protected: fc.boolean() })),
    guards: some(guard),
    warnings: some(fc.record({ code: fc.constantFrom(...WARNING_CODES), message: hostileText })),
    target: some(hostileText),
    since: optional(hostileText),
    baseUrl: hostileText,
    path: hostileText,
  })
  .map(({ target, since, baseUrl, path, ...parts }) => {
    const empty = planFor({});
    return {
      ...empty,
      ...parts,
      service: { ...empty.service, base_url: baseUrl },
      config: { ...empty.config, files: [{ path, digest: 'cafe' }] },
      options: { ...empty.options, ...(since === undefined ? {} : { since }), target },
    };
  });

const subject: Arbitrary<Subject> = fc
  .record({
    action: fc.constantFrom('create' as const, 'update' as const, 'delete' as const),
    domain: hostileText,
    id: optional(hostileText),
    source: optional(place),
  })
  .map((value) => compact<Subject>(value));

const failure: Arbitrary<Failure> = fc
  .tuple(
    subject,
    fc.record({
      outcome: fc.constantFrom('failed' as const, 'unknown' as const),
      status: optional(fc.integer({ min: 400, max: 599 })),
      message: hostileText,
      remedy: optional(hostileText),
      attempts: fc.integer({ min: 1, max: 5 }),
    }),
  )
  .map(([who, what]) => ({ ...who, ...compact(what) }) as Failure);

const residual: Arbitrary<Residual> = fc.constantFrom(...FIELD_NAMES).chain((field) =>
  fc
    .record({
      action: fc.constant('update' as const),
      domain: hostileText,
      field: optional(fc.constant(field)),
      wanted: optional(fieldValue(field)),
      shown: optional(fieldValue(field)),
      earlier: optional(fc.constant(true as const)),
      message: hostileText,
    })
    .map((value) => compact<Residual>(value)),
);

const number = fc.nat({ max: 2_000 });

export const result: Arbitrary<Result> = fc
  .record({
    format: fc.constant('websites.result/1' as const),
    run: fc.option(hostileText),
    undoes: optional(hostileText),
    scope: optional(hostileText),
    summary: fc.record({
      created: number,
      updated: number,
      deleted: number,
      unchanged: number,
      failed: number,
      not_attempted: number,
    }),
    failures: some(failure),
    not_attempted: some(subject),
    stopped: fc.option(hostileText),
    interrupted: fc.boolean(),
    converged: fc.option(fc.boolean()),
    residual: some(residual),
    others: number,
    notes: some(hostileText),
    requests: number,
    seconds: fc.double({ min: 0, max: 1e6, noNaN: true }).map((seconds) => seconds || 0),
  })
  .map((value) => compact<Result>(value));

export const problem: Arbitrary<Problem> = fc
  .record({
    severity: fc.constantFrom('error' as const, 'warning' as const),
    message: hostileText,
    remedy: optional(hostileText),
    place: optional(place),
    excerpt: optional(fc.record({ text: hostileText, length: fc.nat({ max: 500 }) })),
  })
  .map((value) => compact<Problem>(value));

export const error: Arbitrary<unknown> = fc.oneof(
  fc
    .record({
      message: hostileText,
      remedy: optional(hostileText),
      place: optional(place),
      problems: some(problem),
    })
    .map(({ message, ...details }) => new WebsitesError('config-invalid', message, compact(details))),
  fc
    .tuple(hostileText, hostileText)
    .map(([outer, inner]) => new TypeError(outer, { cause: new Error(inner) })),
  hostileText,
  fc.constantFrom(null, undefined, 7),
);

export const event: Arbitrary<RunEvent> = fc.oneof(
  fc.record({ type: fc.constant('run_started' as const), run: hostileText, changes: number }),
  subject.map((who) => ({ type: 'change_started' as const, ...who })),
  fc.tuple(subject, optional(hostileText)).map(([who, note]) => ({
    type: 'change_done' as const,
    ...who,
    ...(note === undefined ? {} : { note }),
  })),
  failure.map((what) => ({ type: 'change_failed' as const, ...what })),
  fc.record({ type: fc.constant('stopping' as const), reason: hostileText }),
  fc.record({ type: fc.constant('canary_started' as const), changes: number }),
  fc.record({ type: fc.constant('canary_verified' as const), done: number, failed: number }),
  fc.constant({ type: 'verify_started' as const }),
  fc.record({ type: fc.constant('verify_waiting' as const), open: number, milliseconds: number }),
  result.map((value) => ({ type: 'run_ended' as const, result: value })),
);

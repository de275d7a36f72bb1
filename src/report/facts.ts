import type { Fact, FactText } from '../model/facts.ts';
import { FIELDS } from '../model/field-table.ts';
import type { Difference } from '../model/run.ts';
import { plainValueText } from '../planner/side-effects.ts';
import { isObject } from '../util/json.ts';
import { count, joinShortened } from '../util/text.ts';

const CHECK_FILES = 'Check the files. Pass --allow-empty if this is intended.';
const ALLOW = 'Pass --allow-{action}s {count} if this is intended.';

const SET_WWW = 'Set "service.www" to "same" if they are, otherwise to "distinct".';

/**
 * The sentence of each fact, or a part of one. `{name}` is a value of the fact. `{count change}` is a number with its
 * noun, and `{ (reason)}` is a value with its parentheses, if there is one. The second text is a remedy.
 */
const TEXTS = {
  // Reasons that a run stopped.
  interrupted: 'it was interrupted',
  'create-failed': 'a create did not succeed, so deletes were skipped',
  'pin-wrong':
    'an update reset a setting that it omitted, although "service.update" is "changed" (remove that key)',
  failed: '{count change} failed (WEBSITES_MAX_FAILURES)',
  'failed-in-row': 'the service failed {count} times in a row',
  'failed-share': '{count} of {of} changes failed',
  stale: '{count record} changed since the plan was made',
  'canary-failed': 'stopped after the canary: {count change} failed',
  'canary-unlike': 'stopped after the canary: the service does not show {count change}',
  'canary-unverified': 'stopped after the canary: it cannot be verified{ (reason)}',

  // Remarks about changes.
  found: 'the record already matched the plan, so nothing was sent',
  adopted: 'the response was lost, but the record was found and adopted',
  applied: 'the response was lost, but it was applied',
  gone: 'the response was lost, but the record is gone',
  'stored-as': 'the service stored it as {domain}',
  'stored-as-variant': 'the service stored it as {domain}: set "service.www" to "same"',
  noted: '{domains}: {note}.',
  unknown: [
    '{domain}: it is not known if the service has a record.',
    'The list is not complete and the search shows nothing: see "websites doctor".',
  ],
  exists: '{domain} already exists (#{id}).',
  vanished: '{domain} no longer exists (#{id}).',
  renamed: '{domain} no longer exists: #{id} is now {name}.',
  changed: '{domain} (#{id}) was changed: {differences}.',
  'secret-warning': 'A secret {warning}: {secrets}.',
  'pin-saves-requests':
    'This service keeps what an update omits. "service.update: changed" in the file saves one request for each update.',

  // Findings of the verification.
  unverified: 'Could not verify: {reason}',
  'still-exists': '{domain} still exists',
  missing: '{domain} does not exist',
  repeated: '{name} exists {count} times ({ids}): delete all but one on the service',
  ignored: '{domain}: the service ignored {field}',
  'not-as-sent': '{domain}: {field} is not as it was sent',

  // Facts about earlier runs.
  'run-killed': 'Run {run} was killed.',
  'requests-in-flight': 'Waiting {seconds} s for requests of an interrupted run to time out.',
  'killed-changed':
    'Run {run} updated records before it was killed. These other settings have changed since:',
  'killed-effect': '  {field} of {domain} (#{id}) (was {was}, is {is})',
  'killed-undo': '"websites undo {run}{scope}" undoes that run.',

  // Warnings of a plan.
  'changes-skipped': 'Skipped {count change} (--only {only}).',
  'domain-in-several-records': 'Several records have the domain {domain}: {ids}. None of them is deleted.',
  'id-of-several-domains':
    'The service shows {shared}. These domains were not compared, and orphans are not known.',
  'list-unconfirmed':
    'The service may not have returned all of its records{ (reason)}. Each declared domain was looked up. Orphans are not known.',
  'list-ended': 'the next links ended',
  'list-empty': 'the page after the last is empty',
  'list-short': 'fewer records than the smallest page',
  'list-again': 'two listings in a row show the same records',
  'list-changed': 'records were created or deleted while they were listed',
  'list-stuck': 'it serves the same records on every page',
  'list-refused': 'it refuses further pages',
  'list-broken': 'its next links stop before the end',
  'list-endless': 'it is longer than a list can be',
  'list-counted': 'its total is {total}, as many as it lists',
  'list-miscounted': 'it counts {total} records and lists {count}',
  'list-shares-ids': 'it shows {shared}',
  'list-looked-up': 'each domain was looked up',
  'password-not-compared':
    'The service never returns passwords, so {count declared password} could not be compared. To send a changed password, run "websites apply --resend-passwords --domain DOMAIN".',
  'pattern-matches-nothing': '--{flag} {pattern} matches no website, declared or listed.',
  'prune-skipped':
    'Nothing is pruned: `prune: removed` compares with an earlier commit, and none was passed. Pass --since REV.',
  'prune-skipped/service': 'Nothing is pruned: at {commit}, the service was {address}.',
  'prune-skipped/untracked':
    'Git does not track {files}, so domains that are removed from it are not pruned.',
  'removed-kept':
    'Not pruned, because a file still names these domains: {domains}. To delete them, remove the domains from that file, or declare them with "state: absent".',
  'removed-kept/again':
    'Not pruned, because they were pruned before and exist again: {domains}. To delete them, declare them with "state: absent".',
  'setting-never-returned':
    'The service never returns {field}, so it cannot be compared. It is sent only when another setting of the website changes.',
  'time-never-returned': 'The service returns {field} as a boolean only, so its time is not compared.',
  unreadable: '{field} of {records}: the service returned {holds}',
  'value-unreadable': 'Cannot compare {field} of {records}: the service returned {holds}.',

  // Guards, with their remedies.
  'no-files': ['No YAML file in {patterns}.', CHECK_FILES],
  'no-websites': ['The configuration declares no websites.', CHECK_FILES],
  'records-unknown': [
    'Cannot prune: the service may not have returned all of its records.',
    'Run without prune, or run "websites doctor" to find the reason.',
  ],
  'protected-deleted': [
    'The plan would delete protected websites: {domains}.',
    'Remove the website from "protected" in a separate change, or keep the record.',
  ],
  'many-of-records': ['The plan {action}s {count} of {total} records.', ALLOW],
  'many-of-declared': ['The plan {action}s {count} records, and {total} websites are declared.', ALLOW],
  'duplicates-changed': [
    'Several records have the same domain: {records}.',
    'Delete the duplicate record on the service. This tool cannot know which one to keep.',
  ],
  drifted: [
    'The service was changed outside this tool: {domains}.',
    'Add the drifted values to the configuration, skip them with --only config, or revert them with --only drift (without --fail-on-drift).',
  ],
  'drifted-and-changed': [
    'The service was changed outside this tool: {domains}.',
    'Add the drifted values to the configuration, or run without --fail-on-drift. --only cannot separate changes to the same record.',
  ],

  // Records that cannot be planned, with their remedies.
  'declared-twice': ['{domain} is declared twice.', 'Remove one of the two declarations.'],
  'declared-ignored': [
    '{domain} is declared and ignored.',
    'Remove the website, or change the pattern under "ignore".',
  ],
  'password-missing': [
    '{domain} would be created with "privacy: password" but without a password.',
    'Declare its password, such as { env: NAME }.',
  ],
  'variant-exists': ['{domain} has no record, and {other} has one: they may be one website.', SET_WWW],
  'variant-declared': [
    '{domain} has no record, and {other} is declared too: they may be one website.',
    SET_WWW,
  ],
  'variant-same': [
    '{domain} and {other} are one website on this service ("service.www: same").',
    'Declare only one of the two.',
  ],
  'variant-ignored': [
    '{domain} is declared, and {other}, which may be the same website, is ignored.',
    'Remove the website or the pattern, or set "service.www" to "distinct".',
  ],

  // Parts of an undo.
  'change-not-undone': '{domain} is left as it is: {reason}.',
  'change-not-undone/partly': '{domain} is not restored completely: {reason}.',
  'undo-ignored': 'the configuration ignores it',
  'undo-unknown': 'it is not known whether it exists',
  'undo-gone': 'its record no longer exists',
  'undo-exists': 'a record with this domain exists again',
  'undo-other': 'it has another record now, #{id}',
  'undo-lost': 'the response to its create was lost, and #{id} may be another record',
  'undo-renamed': 'its ID now belongs to {domain}',
  'undo-changed': 'its {fields} changed since',
  'undo-unseen': 'the service did not show its previous {fields}, so it is not restored',
  'undo-password': 'its password cannot be restored',
  'undo-password-private': 'its password cannot be restored, so it comes back private',
  'undo-password-replaced': 'the run changed its password, and the previous one is not known',
  'undo-password-declared': 'its password is the one that the configuration declares now',
  'undo-privacy-unknown': 'who could see it is not known, so it comes back private',
  'undo-new-id': 'it gets a new id, and the data of the old record is not restored',
} as const satisfies Record<Fact['code'], string | readonly [message: string, remedy: string]>;

/** The names of the values in a text. */
type Slot<Text> = Text extends `${string}{${infer Inner}}${infer Rest}` ? Bare<Inner> | Slot<Rest> : never;
/** `{ env: NAME }` is text. */
type Bare<Inner> = Inner extends ` (${infer Name})`
  ? Name
  : Inner extends ` ${string}`
    ? never
    : Inner extends `${infer Name} ${string}`
      ? Name
      : Inner;
type Member<Code, One> = One extends { readonly code: infer Own }
  ? Code extends Own
    ? keyof One
    : never
  : never;
/** Rejects, at compile time, a text with a name that its fact does not have. */
type Filled<Table> = {
  readonly [Code in keyof Table]: Slot<
    [Table[Code]] extends [readonly (infer Text)[]] ? Text : Table[Code]
  > extends Member<Code, Fact>
    ? Table[Code]
    : never;
};

const SLOT = /\{( \()?(\w+)(?: ([a-z ]+))?(\))?\}/g;

export const factText: FactText = (fact, part) => {
  const [message = '', remedy = message] = [(TEXTS satisfies Filled<typeof TEXTS>)[fact.code]].flat();
  const values = new Map<string, unknown>(Object.entries(fact));
  return (part === 'remedy' ? remedy : message).replaceAll(SLOT, (_, before = '', name, noun, after = '') => {
    const value = values.get(name);
    if (noun !== undefined) return count(Number(value), noun);
    return value === undefined ? '' : before + shown(name, value) + after;
  });
};

function shown(name: string, value: unknown): string {
  if (isObject(value)) return factText(value as unknown as Fact);
  if (!Array.isArray(value)) return String(value);
  if (name === 'ids') return `#${value.join(', #')}`;
  return name === 'differences' ? value.map(differenceText).join('; ') : joinShortened(value);
}

function differenceText({ field, before, after }: Difference): string {
  if (FIELDS[field].secret && before === true) return `${field} was set and is not set`;
  const was = before === undefined ? 'not shown' : plainValueText(field, before);
  return `${field} is ${plainValueText(field, after)} and was ${was}`;
}

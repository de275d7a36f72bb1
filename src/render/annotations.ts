/**
 * Annotations: GitHub workflow commands that show a message at a line of the files. A step may make ten
 * of a kind; GitHub drops the others, so the tenth counts them here.
 */
import type { Change } from '../model/change.ts';
import type { Place, Problem } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import { compareRisk } from '../model/risk.ts';
import type { Failure, Residual, Result } from '../model/run.ts';
import { refusals } from '../planner/guards.ts';
import { wordsOf } from './error.ts';
import { fieldsOf } from './groups.ts';
import { originText } from './origin.ts';
import { failureText, goOnText, residualText, unknownFirst } from './result/words.ts';
import { prose, safeDomain } from './sanitize.ts';
import { count, some } from './text.ts';
import { changeRows, pieceText } from './values.ts';
import { type AsDrift, viewOf, wordingOf } from './wording.ts';

type Kind = 'error' | 'warning' | 'notice';
const KINDS: readonly Kind[] = ['error', 'warning', 'notice'];

/** One message; those of several sources go into one text, because the limit is one of the step. */
export interface Annotation {
  readonly kind: Kind;
  readonly title: string;
  readonly message: string;
  readonly place?: Place | undefined;
  /** How many characters it is about. */
  readonly length?: number | undefined;
}

const AT_MOST = 10;
const [TITLE_LENGTH, MESSAGE_LENGTH] = [150, 1_000];

/**
 * The commands, one a line, errors first; of each kind the first nine or ten, in the order given.
 * `folder` is the folder that the paths start from, as seen from the repository (`''`: the repository); `target` the
 * target that they are about, which their titles begin with.
 */
export function annotations(all: readonly Annotation[], folder = '', target?: string): string {
  return KINDS.flatMap((kind) => {
    const some = all.filter((annotation) => annotation.kind === kind);
    if (some.length <= AT_MOST) return some;
    const left = some.length - AT_MOST + 1;
    const rest = { kind, title: `… and ${left} more`, message: REST };
    return [...some.slice(0, AT_MOST - 1), rest];
  })
    .map((annotation) => commandOf(target === undefined ? annotation : ofTarget(annotation, target), folder))
    .join('');
}

function ofTarget(annotation: Annotation, target: string): Annotation {
  return { ...annotation, title: `${target}: ${annotation.title}` };
}

const REST = 'GitHub shows at most ten annotations of a kind. See the job log and the summary.';

/** `::error file=…,line=…::message` (the runner reads a command at the beginning of a line). */
function commandOf({ kind, title, message, place, length }: Annotation, folder: string): string {
  const properties: [string, string | number | undefined][] = [
    ['file', place && pathFrom(folder, place.file)],
    ['line', place?.line],
    ['col', place?.column],
    ['endColumn', place && length && place.column + length],
    ['title', prose(title, TITLE_LENGTH)],
  ];
  const stated = properties.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeProperty(String(value))}`],
  );
  const lines = message.split('\n').map((line) => escapeData(prose(line, MESSAGE_LENGTH)));
  return `::${kind} ${stated.join(',')}::${lines.join('%0A')}\n`;
}

function pathFrom(folder: string, file: string): string {
  let path = prose(file);
  if (path.startsWith('/')) return path;
  const folders = folder.split('/').filter((name) => name !== '');
  for (; path.startsWith('../') && folders.length > 0; path = path.slice(3)) folders.pop();
  return [...folders, path].join('/');
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Guards that refuse, then what is risky at the line that says so, then what the plan warns of. */
export function planAnnotations(plan: Plan): Annotation[] {
  const ranked = plan.changes.toSorted((a, b) => compareRisk(a.risk, b.risk));
  const risky = ranked.filter(({ risk }) => risk.level !== 'low');
  const unasked = risky.filter(({ source }) => source === undefined);
  const isUndo = plan.options.undoes !== undefined;
  return [
    ...refusedAnnotations(plan),
    ...unaskedAnnotation(unasked, isUndo),
    ...risky.filter(({ source }) => source !== undefined).map((change) => changeAnnotation(change, isUndo)),
    ...warningAnnotations(plan),
  ];
}

/** The same of drift: every record that differs, at the line that declares it. */
export function driftAnnotations(given: Plan, here: AsDrift): Annotation[] {
  const plan = viewOf(given, here);
  const undeclared = plan.changes.filter(({ source }) => source === undefined);
  const names = some(undeclared, ({ domain }) => safeDomain(domain));
  const title = `Drift: ${count(undeclared.length, 'record')} that the configuration does not declare`;
  return [
    ...refusedAnnotations(plan),
    ...(undeclared.length === 0 ? [] : [{ kind: 'warning', title, message: names } as const]),
    ...plan.changes.flatMap((change) => (change.source === undefined ? [] : driftAnnotation(change, here))),
    ...warningAnnotations(plan),
  ];
}

function driftAnnotation(change: Change, here: AsDrift): Annotation {
  const { action, domain, source } = change;
  const { one, drawing } = wordingOf(here);
  const rows = action === 'update' ? changeRows(fieldsOf(change), undefined, drawing) : [];
  const message = rows.map(({ label, pieces }) => `${label} ${pieces.map(pieceText).join(', ')}`).join('\n');
  const title = `Drift: ${safeDomain(domain)} is ${one[action]}`;
  return { kind: 'warning', title, message: message || DRIFT_CAUSES[action], place: source };
}

const DRIFT_CAUSES: Readonly<Record<Change['action'], string>> = {
  create: 'It is declared, but not on the service.',
  update: 'A setting has another value.',
  delete: 'It is on the service, but declared absent.',
};

function refusedAnnotations({ guards }: Plan): Annotation[] {
  return refusals(guards).map(({ code, message, remedy }) => {
    const title = `Blocked by a guard (${code})`;
    return { kind: 'error', title, message: `${message}\n${remedy}` };
  });
}

function warningAnnotations({ warnings }: Plan): Annotation[] {
  return warnings.map(({ code, message }) => ({ kind: 'warning', title: code, message }));
}

/** What an undo changes back, no line asks for. */
function changeAnnotation(change: Change, isUndo: boolean): Annotation {
  const { action, domain, risk, source } = change;
  const rows = changeRows(fieldsOf(change)).map(
    ({ label, pieces }) => `${label}: ${pieces.map(pieceText).join(', ')}`,
  );
  const origin = originText(change);
  const lines = [
    `${action} ${safeDomain(domain)}`,
    ...(origin === '' ? [] : [origin]),
    ...rows,
    ...change.notes,
  ];
  return {
    kind: risk.level === 'medium' ? 'notice' : 'warning',
    title: `${risk.level} risk: ${risk.reason}`,
    message: lines.join('\n'),
    place: isUndo ? undefined : source,
  };
}

/** Deletes that no line says have one annotation for all. */
function unaskedAnnotation(deletes: readonly Change[], isUndo: boolean): Annotation[] {
  const [first] = deletes;
  if (first === undefined) return [];
  const names = some(deletes, ({ domain }) => safeDomain(domain));
  return [
    {
      kind: 'warning',
      title: `${first.risk.level} risk: ${count(deletes.length, 'record')} that ${isUndo ? 'the undone run created' : 'the configuration does not declare'}`,
      message: `delete ${names}\n${first.notes.join('\n')}`,
    },
  ];
}

/** What failed at the line that asked for it, then what is not as it was sent. */
export function resultAnnotations(result: Result): Annotation[] {
  const isUndo = result.undoes !== undefined;
  return [
    ...unknownFirst(result.failures).map((failure) => failureAnnotation(failure, isUndo)),
    ...result.residual.map(residualAnnotation),
    ...(result.not_attempted.length === 0 ? [] : [notAttemptedAnnotation(result)]),
  ];
}

function notAttemptedAnnotation(result: Result): Annotation {
  return {
    kind: 'warning',
    title: `${count(result.not_attempted.length, 'change')} not attempted`,
    message: [result.stopped, goOnText(result)].filter((line) => line != null).join('\n'),
  };
}

function failureAnnotation(failure: Failure, isUndo: boolean): Annotation {
  const { action, domain, source, remedy } = failure;
  return {
    kind: 'error',
    title: `Cannot ${action} ${safeDomain(domain)}`,
    message: withRemedy(failureText(failure), remedy),
    place: isUndo ? undefined : source,
  };
}

function residualAnnotation(residual: Residual): Annotation {
  return {
    kind: 'error',
    title: `Not as it was sent: ${safeDomain(residual.domain)}`,
    message: residualText(residual),
  };
}

/** Each problem at its place. */
function problemAnnotations(problems: readonly Problem[]): Annotation[] {
  return problems.map(({ severity, message, remedy, place, excerpt }) => ({
    kind: severity,
    title: severity === 'error' ? 'Invalid' : 'Doubtful',
    message: withRemedy(message, remedy),
    place,
    length: excerpt?.length,
  }));
}

/** The problems behind an error at their places, or the error itself where it has none. */
export function errorAnnotations(error: unknown): Annotation[] {
  const { code, message, remedy, place, problems } = wordsOf(error);
  if (problems.length > 0) return problemAnnotations(problems);
  const title = code === 'bug' ? 'Bug' : 'websites';
  return [{ kind: 'error', title, message: withRemedy(message, remedy), place }];
}

function withRemedy(message: string, remedy: string | undefined): string {
  return remedy === undefined ? message : `${message}\n${remedy}`;
}

import { formatPlace, type Problem, WebsitesError } from '../model/errors.ts';
import { type DocsCode, type Document, headlined, type Message } from './document.ts';
import { FORMATS } from './json.ts';
import { count, prose, say, type Text } from './sanitize.ts';

const BUG = say`This is a bug in websites-as-code, not a mistake in your input.`;
const REPORT = say`Please report it with its stack and the command that you ran.`;

const REFUSALS: readonly DocsCode[] = ['guard-refused', 'approval-missing', 'plan-stale'];

/** On a terminal, problems come first, and message, location and remedy last. A page has the reverse order. */
export function errorDocument(error: unknown): Document {
  const { code, message, place, remedy, problems } = wordsOf(error);
  const isBug = code === 'bug';
  const said: Message = {
    tone: 'bad',
    label: say`Error`,
    text: isBug ? BUG : prose(message),
    stack: isBug ? causeLines(error) : [],
    place: place && prose(formatPlace(place)),
    remedy: remedy && prose(remedy),
    more: code,
  };
  return {
    marker: 'plan',
    headline: REFUSALS.includes(code) ? say`nothing was applied` : say`failed`,
    notices: [{ kind: 'messages', items: [said] }],
    body: [{ kind: 'problems', items: problems.toSorted(compareSeverity) }],
  };
}

function compareSeverity(a: Problem, b: Problem): number {
  return Number(a.severity === 'warning') - Number(b.severity === 'warning');
}

export function warningsDocument(problems: readonly Problem[]): Document {
  return {
    ...headlined(count(problems.length, 'warning')),
    body: [{ kind: 'problems', items: problems }],
  };
}

export function errorRow(error: unknown) {
  const { code, message, remedy = null, place = null, problems } = wordsOf(error);
  return { format: FORMATS.error, code, message, remedy, place, problems, docs: `docs/errors.md#${code}` };
}

function wordsOf(error: unknown) {
  if (!(error instanceof WebsitesError))
    return { code: 'bug' as const, message: `${BUG} ${titleOf(error)}`, remedy: REPORT, problems: [] };
  const { code, message, place, problems, remedy } = error;
  const again = code === 'interrupted' ? 'Run the command again.' : undefined;
  return { code, message, place, problems, remedy: remedy ?? again };
}

const MAX_CAUSES = 5;

/** Reads no other properties, because those of a library's error may contain headers and so the API key. */
function causeLines(error: unknown, depth = 0): Text[] {
  const { stack = '', cause } = error instanceof Error ? error : {};
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const title = say`${depth > 0 && 'caused by '}${titleOf(error)}`;
  const lines = [title, ...frames.map((frame) => say`  ${prose(frame)}`)];
  return cause === undefined || depth === MAX_CAUSES ? lines : [...lines, ...causeLines(cause, depth + 1)];
}

function titleOf(error: unknown): Text {
  return error instanceof Error ? prose(`${error.name}: ${error.message}`) : say`a thrown ${typeof error}`;
}

/**
 * Reads the error message of a response in any shape, and recognizes responses of other software (specification,
 * section 7).
 */
import { isObject, parseJson } from '../util/json.ts';
import { cutText } from '../util/text.ts';
import type { Answer } from './http/transport.ts';

export function decodeFailure(body: string): { message: string; fields: Record<string, string[]> } {
  const raw = parseJson(body);
  const fields = isObject(raw) ? { ...fieldWords(raw.errors), ...fieldWords(raw.message) } : {};
  const words = Object.values(fields).flat().join(' ');
  const text = isPage({ body }) ? '' : body.slice(0, 10_000);
  return {
    message: oneSentence(words || (raw === undefined ? (titleOf(body) ?? text) : statement(raw))),
    fields,
  };
}

/** True if the body reports an error. An object with an ID is a record, even with a member `error`. */
export function tellsOfError(raw: unknown): boolean {
  if (!isObject(raw) || 'id' in raw) return false;
  const { success, status, error, errors } = raw;
  const said = wordOf(status);
  const isFailed = isNo(success) || /^(?:error|fail)/i.test(said) || Number(said) >= 400;
  return isFailed || isFilled(error) || isFilled(errors);
}

function isFilled(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null ? Object.keys(raw).length > 0 : Boolean(raw) && !isNo(raw);
}

function isNo(raw: unknown): boolean {
  return /^(?:false|0)$/i.test(wordOf(raw));
}

/** Returns no text for an object, because its own `toString` may be any value. */
function wordOf(raw: unknown): string {
  return typeof raw === 'object' ? '' : String(raw);
}

/** Members with errors that concern no single field. The last two are those of RFC 9457 and JSON:API. */
const STATED = ['message', 'error', 'errors', 'detail', 'title'];

function statement(raw: unknown): string {
  if (typeof raw === 'string') return raw;
  if (Array.isArray(raw)) return raw.map(statement).filter(Boolean).join(' ');
  return isObject(raw) ? (STATED.map((name) => statement(raw[name])).find(Boolean) ?? '') : '';
}

function fieldWords(raw: unknown): Record<string, string[]> {
  if (!isObject(raw)) return {};
  const entries = Object.entries(raw).map(([name, words]) => [
    name,
    [words].flat().flatMap((word) => (typeof word === 'string' ? oneSentence(word) : [])),
  ]);
  return Object.fromEntries(entries) as Record<string, string[]>;
}

function titleOf(body: string): string | undefined {
  return /<title[^>]*>([^<]*)<\/title>/i.exec(body.slice(0, 10_000))?.[1];
}

function oneSentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${cutText(line, 299)}…` : line;
}

const LOGIN_TO_NETWORK = 511;
const OTHER_SCHEMES = /^\s*(?:basic|digest|ntlm|negotiate|kerberos)\b/i;
const MAX_NAME = 80;

/** True for an HTML page. Looks at the body, because some services send JSON with the type of a page. */
export function isPage({ body }: Pick<Answer, 'body'>): boolean {
  return /^\s*</.test(body.slice(0, 500));
}

/** True if a login form, a bot check or a Wi-Fi portal responded instead of the service. */
export function isStandIn(answer: Answer): boolean {
  const { status, headers } = answer;
  if (headers['cf-mitigated'] !== undefined || status === LOGIN_TO_NETWORK) return true;
  if (status === 401) return OTHER_SCHEMES.test(headers['www-authenticate'] ?? '');
  return status === 403 && isPage(answer);
}

/** Returns what is known of the software that responded: ` (server cloudflare, title "Just a moment...")`. */
export function standInNames({ headers: { server = '' }, body }: Answer): string {
  const title = cutText(oneSentence(titleOf(body) ?? ''), MAX_NAME);
  const names = [server && `server ${cutText(server, MAX_NAME)}`, title && `title "${title}"`].filter(
    Boolean,
  );
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}

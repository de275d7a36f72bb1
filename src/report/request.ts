/** One request as a line of a log. */
import type { RequestFacts } from '../model/service.ts';
import { leading, prose } from './sanitize.ts';
import { duration } from './text.ts';

/** Shorter waits are the ordinary queue. */
const WORTH_TELLING_MS = 100;

export function requestLine(request: RequestFacts): string {
  const { at, method, url, ms, status, reason, attempt, waitedMs, pace } = request;
  const { pathname, search } = new URL(url);
  const notes = [
    attempt > 1 ? `attempt ${attempt}` : '',
    waitedMs >= WORTH_TELLING_MS ? `waited ${duration(waitedMs / 1000)} for its turn` : '',
    pace.throttled ? askedText(pace.waitMs) : '',
    status === undefined && reason !== undefined ? prose(reason) : '',
  ].filter((note) => note !== '');
  const said = `${new Date(at).toISOString()} ${method} ${pathname}${search} ${status ?? 'no answer'} ${Math.round(ms)} ms`;
  return `${leading(said)}${notes.map((note) => `, ${note}`).join('')}\n`;
}

function askedText(waitMs: number | undefined): string {
  return waitMs === undefined ? 'asked to slow down' : `asked to wait ${duration(waitMs / 1000)}`;
}

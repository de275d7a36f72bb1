/** Decides which redirects to follow. Only the service, its www variant and their https form may get the key. */
import type { Findings } from '../model/doctor-findings.ts';
import { wwwVariant } from '../planner/match.ts';
import type { NoAnswer } from './http/network-errors.ts';
import type { Answer } from './http/transport.ts';
import { type Attempt, KEY_REFUSED, METHODS, REDIRECTED, type Setback, unlessSecret } from './judge.ts';

const MAX_REDIRECTS = 3;
const STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const LOGIN_PAGE = /(?:^|[/_-])(?:log|sign)[_-]?in\/?$/i;

export type Redirect = Findings['redirects'][number];

/**
 * Returns `undefined` if the response is no redirect, or if a write may have been processed and must not be sent
 * again.
 */
export function judgeRedirect(
  attempt: Attempt,
  { kind, status = 0, headers: { location = '' } = {} }: Answer | NoAnswer,
): Redirect | Setback | undefined {
  if (kind !== 'answer' || !STATUSES.has(status)) return undefined;
  const method = METHODS[attempt.call.operation];
  const from = new URL(attempt.to.origin + attempt.to.path);
  const to = location !== '' && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  // Shown without query and credentials.
  const shown = unlessSecret(to === undefined ? 'nowhere' : `${to.origin}${to.pathname}`, attempt);
  if (to !== undefined && LOGIN_PAGE.test(to.pathname)) {
    return { ...KEY_REFUSED, what: `was sent to the login page ${shown}`, outcome: 'refused' };
  }
  const isToItself = method !== 'GET' && to?.href === from.href;
  if (isToItself || (method === 'POST' && status === 303)) return undefined;
  const reason = whyNotFollowed(from, to, attempt.progress.redirects);
  if (to !== undefined && reason === undefined) return { status, from: from.origin, to: to.origin };
  const what = `was redirected to ${shown} (${status}): ${reason}, so the API key was not sent there`;
  // A redirect does not show if a write was carried out.
  return { ...REDIRECTED, what, outcome: method === 'GET' ? 'refused' : 'ended' };
}

function whyNotFollowed(from: URL, to: URL | undefined, redirects: number): string | undefined {
  if (to === undefined) return 'it is not a valid URL';
  if (redirects >= MAX_REDIRECTS) return 'there were too many redirects';
  if (to.protocol !== 'http:' && to.protocol !== 'https:') return 'it leaves http';
  if (from.protocol === 'https:' && to.protocol === 'http:') return 'it leads from https to http';
  // An explicit port must be the same. Without a port, each scheme uses its default.
  const isNear = to.hostname === from.hostname || to.hostname === wwwVariant(from.hostname);
  if (!isNear || to.port !== from.port) return 'it leads to another host';
  if (to.username !== '' || to.password !== '') return 'it contains credentials';
  if (to.pathname !== from.pathname || to.search !== from.search) return 'it leads to another path or query';
  return undefined;
}

/** Hosts that may get the key: the service, its www variant, and their https form. */
import { wwwVariant } from '../../planner/match.ts';
import type { Head } from './network-errors.ts';

const MAX_REDIRECTS = 3;

/**
 * `dealt-with`: a write was processed in some way and must not be sent again. `login`: the service did not
 * accept the key. Addresses are shown without query and login.
 */
export type Redirect =
  | { readonly kind: 'follow'; readonly origin: string }
  | { readonly kind: 'dealt-with' }
  | { readonly kind: 'login'; readonly to: string }
  | { readonly kind: 'refused'; readonly to: string; readonly reason: string };

const LOGIN_PAGE = /(?:^|[/_-])(?:log|sign)[_-]?in\/?$/i;

/** `hops` is the number of redirects that were followed before. */
export function judgeRedirect(
  from: URL,
  method: string,
  { status, headers: { location = '' } }: Head,
  hops: number,
): Redirect {
  const to = location !== '' && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const shown = to === undefined ? 'nowhere' : `${to.origin}${to.pathname}`;
  if (to !== undefined && LOGIN_PAGE.test(to.pathname)) return { kind: 'login', to: shown };
  const isToItself = method !== 'GET' && to?.href === from.href;
  if (isToItself || (method === 'POST' && status === 303)) return { kind: 'dealt-with' };
  if (to === undefined) return { kind: 'refused', to: shown, reason: 'it is not a valid URL' };
  const reason = hops >= MAX_REDIRECTS ? 'there were too many redirects' : whyNotFollowed(from, to);
  if (reason !== undefined) return { kind: 'refused', to: shown, reason };
  return { kind: 'follow', origin: to.origin };
}

function whyNotFollowed(from: URL, to: URL): string | undefined {
  if (to.protocol !== 'http:' && to.protocol !== 'https:') return 'it leaves http';
  if (from.protocol === 'https:' && to.protocol === 'http:') return 'it leads from https to http';
  // An explicit port must be the same. Without one, each scheme uses its default.
  const isNear = to.hostname === from.hostname || to.hostname === wwwVariant(from.hostname);
  if (!isNear || to.port !== from.port) return 'it leads to another host';
  if (to.username !== '' || to.password !== '') return 'it contains credentials';
  if (to.pathname !== from.pathname || to.search !== from.search) return 'it leads to another path or query';
  return undefined;
}

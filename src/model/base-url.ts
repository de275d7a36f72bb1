/** Base URLs of services. The path of the API (`/api/v1`) is appended to them. */
import { WebsitesError } from './errors.ts';

export const LOCAL = 'local';

/** Returns the URL that a plan or a run belongs to. Every embedded service has the URL `local`. */
export function addressOf({ base_url }: { readonly base_url: string }): string {
  return base_url.startsWith(`${LOCAL}:`) ? LOCAL : base_url;
}

/** Continues a sentence that starts with the invalid URL. Contains no part of the text, which may be a secret. */
export function whyNoBaseUrl(text: string): string | undefined {
  if (!URL.canParse(text.trim())) return 'it is not a URL';
  const { protocol, username, password, search, hash, pathname } = new URL(text.trim());
  if (protocol !== 'http:' && protocol !== 'https:') return 'it is neither http nor https';
  if (username !== '' || password !== '') return 'it contains a user name or password';
  // In `https://user:12/3@host`, the URL parser takes the user as the host. The API key would go there.
  if (pathname.includes('@')) return 'it has an @ in its path, which must be written as %40';
  if (search !== '' || hash !== '') return 'it has a query or a fragment';
  const isWhole = /\/api\/v1(?:\/websites)?\/*$/.test(pathname);
  return isWhole ? 'it contains /api/v1, which is added automatically' : undefined;
}

/** Normalizes the URL, without a slash at the end. Throws `base-url-invalid`, without a text that may be secret. */
export function parseBaseUrl(text: string): string {
  const reason = whyNoBaseUrl(text);
  if (reason !== undefined) {
    const shown = /[@?#]/.test(text) ? 'This address' : JSON.stringify(text.trim());
    throw new WebsitesError('base-url-invalid', `${shown} is not a service URL: ${reason}.`, {
      remedy: 'Write it as https://analytics.example.com. The API key belongs in WEBSITES_API_KEY.',
    });
  }
  const { origin, pathname } = new URL(text.trim());
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

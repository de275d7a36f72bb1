/** Base URLs of services. The path of the API (`/api/v1`) is appended to them. */
import { WebsitesError } from './errors.ts';

export const LOCAL = 'local';

/** Returns the URL that a plan or a run belongs to. Every embedded service has the URL `local`. */
export function addressOf({ base_url }: { readonly base_url: string }): string {
  return base_url.startsWith(`${LOCAL}:`) ? LOCAL : base_url;
}

/** Continues a sentence that starts with the invalid URL. */
export interface AddressFault {
  readonly reason: string;
  readonly remedy: string;
}

/** The reason contains no part of the text, because the text may be a secret. */
export function whyNoBaseUrl(text: string): AddressFault | undefined {
  const fault = (reason: string, remedy = 'Write it as https://analytics.example.com.'): AddressFault => ({
    reason,
    remedy,
  });
  if (!URL.canParse(text.trim())) return fault('it is not a URL');
  const { protocol, username, password, search, hash, pathname } = new URL(text.trim());
  if (protocol !== 'http:' && protocol !== 'https:') return fault('it is neither http nor https');
  if (username !== '' || password !== '') {
    return fault(
      'it contains a user name or password',
      'Remove them. The API key belongs in WEBSITES_API_KEY.',
    );
  }
  // In `https://user:12/3@host`, the URL parser takes the user as the host. The API key would go there.
  if (pathname.includes('@')) {
    return fault('it has an @ in its path', 'Remove credentials. Write an @ in a path as %40.');
  }
  if (search !== '' || hash !== '') return fault('it has a query or a fragment');
  if (/\/api\/v1(?:\/websites)?\/*$/.test(pathname)) {
    return fault('it contains a path that is added automatically', 'Remove /api/v1 and what follows it.');
  }
  return undefined;
}

/** Normalizes the URL, without a slash at the end. Throws `base-url-invalid`, without a text that may be secret. */
export function parseBaseUrl(text: string): string {
  const fault = whyNoBaseUrl(text);
  if (fault !== undefined) {
    const shown = /[@?#]/.test(text) ? 'This address' : JSON.stringify(text.trim());
    const message = `${shown} is not a service URL: ${fault.reason}.`;
    throw new WebsitesError('base-url-invalid', message, { remedy: fault.remedy });
  }
  const { origin, pathname } = new URL(text.trim());
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

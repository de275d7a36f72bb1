/** Base addresses of services; the path of the interface (`/api/v1`) is added to them. */
import { WebsitesError } from './errors.ts';

export const LOCAL = 'local';

/** The URL that a plan or a run belongs to: `local` for every embedded service. */
export function addressOf({ base_url }: { readonly base_url: string }): string {
  return base_url.startsWith(`${LOCAL}:`) ? LOCAL : base_url;
}

/** `reason` ends a sentence that begins with the invalid URL. */
export interface AddressFault {
  readonly reason: string;
  readonly remedy: string;
}

/** The returned reason contains no part of the text, which may be a secret. */
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
  // A password of digits and a slash makes the login a host, which the key would go to.
  if (pathname.includes('@')) {
    return fault('it has an @ in its path', 'Remove credentials. Write an @ in a path as %40.');
  }
  if (search !== '' || hash !== '') return fault('it has a query or a fragment');
  if (/\/api\/v1(?:\/websites)?\/*$/.test(pathname)) {
    return fault('it contains a path that is added automatically', 'Remove /api/v1 and what follows it.');
  }
  return undefined;
}

/** Normalizes the address, without a slash at the end. Throws `base-url-invalid`, without a text that may hold a secret. */
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

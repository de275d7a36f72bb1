/** What can be the base address of a service: to where its interface is, `/api/v1` is added. */

/** What is wrong with a text, as the end of a sentence that begins with it, and what to do. */
export interface AddressFault {
  readonly reason: string;
  readonly remedy: string;
}

/** Why a text cannot be the base address of a service. It repeats nothing of the text. */
export function whyNoBaseUrl(text: string): AddressFault | undefined {
  const fault = (reason: string, remedy = 'Write it as https://analytics.example.com.'): AddressFault => ({
    reason,
    remedy,
  });
  if (!URL.canParse(text.trim())) return fault('it cannot be read as an address');
  const { protocol, username, password, search, hash, pathname } = new URL(text.trim());
  if (protocol !== 'http:' && protocol !== 'https:') return fault('it is neither http nor https');
  if (username !== '' || password !== '') {
    return fault('it holds a user name or password', 'Leave them out; the API key is WEBSITES_API_KEY.');
  }
  // A password of digits and a slash makes the login a host, which the key would go to.
  if (pathname.includes('@')) {
    return fault('it has an @ in its path', 'Leave a login out; write the @ of a folder as %40.');
  }
  if (search !== '' || hash !== '') return fault('it has a query or a fragment');
  if (/\/api\/v1(?:\/websites)?\/*$/.test(pathname)) {
    return fault('it ends in a path that is added by itself', 'Leave /api/v1 and what follows it out.');
  }
  return undefined;
}

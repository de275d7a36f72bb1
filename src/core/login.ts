/** Logins in addresses, which are not to be shown; people write any character into a password. */

/** As `user:password@` or after `//`. */
const LOGIN = /\/\/[^/\s]*@|[^/\s:@"]+:(?!\/\/)[^\s"]+@/;
/** Longer texts with an @ are not looked into: that takes the square of their length. */
const LONGEST = 500;

export function mayHoldLogin(text: string): boolean {
  return text.includes('@') && (text.length > LONGEST || LOGIN.test(text));
}

/** The text without its logins; all before the last @ of one that is not looked into is taken for one. */
export function withoutLogin(text: string): string {
  if (!mayHoldLogin(text)) return text;
  return text.length > LONGEST
    ? `…${text.slice(text.lastIndexOf('@'))}`
    : text.replaceAll(new RegExp(LOGIN, 'g'), '…@');
}

/** All before the last @: a parser takes slashes for missing, and passwords hold some. */
const BEFORE_HOST = /^(https?:[\\/]*)?.*@/is;
/** With what follows: a key may stand there too. */
const QUERY = /([?#]).+$/s;

/** A text that was to be one address, as it may be shown: without a login and a query. */
export function shownAddress(text: string): string {
  return text.trim().replace(BEFORE_HOST, '$1…@').replace(QUERY, '$1…');
}

/** User and password of an address in a text: all before the last @ of its word, as above. */
const LOGIN_IN_TEXT = /([a-z][a-z0-9+.-]*:\/\/)\S*@/gi;
/** What ends the word may be the text's. */
const QUERY_IN_TEXT = /([a-z][a-z0-9+.-]*:\/\/[^\s?]*\?)\S*?(?=['":.,]*(?:\s|$))/gi;

/** The text without the queries of its addresses: a key may stand there. */
export function withoutQueries(text: string): string {
  return text.replace(QUERY_IN_TEXT, '$1…');
}

/** What another program says, which may hold addresses as they were given to it: without a login or a query in them. */
export function withShownAddresses(text: string): string {
  return withoutQueries(text.replace(LOGIN_IN_TEXT, '$1'));
}

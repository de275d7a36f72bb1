/** Logins in addresses, which are not to be shown; people write any character into a password. */

/** As `user:password@` or after `//`. */
const LOGIN = /\/\/\S*@|[^/\s:@"]+:(?!\/\/)[^\s"]+@/;
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

/** What ends the word of an address may be the text's. */
const PUNCTUATION = `'":.,`;

/** The text without the queries and fragments of its addresses: a key may stand there. */
export function withoutQueries(text: string): string {
  return inAddresses(text, (word, begin) => {
    const query = begin + word.slice(begin).search(/[?#]/) + 1;
    let end = word.length;
    while (PUNCTUATION.includes(word.charAt(end - 1))) end -= 1;
    return query > begin && query < end ? `${word.slice(0, query)}…${word.slice(end)}` : word;
  });
}

/** What another program says, which may hold addresses as they were given to it: without a login or a query in them. */
export function withShownAddresses(text: string): string {
  const shown = inAddresses(text, (word, begin) => {
    // User and password: all before the last @ of the word, as above.
    const host = word.lastIndexOf('@') + 1;
    return host > begin ? word.slice(0, begin) + word.slice(host) : word;
  });
  return withoutQueries(shown);
}

/** Changes each word that holds an address; `begin` is what follows its scheme. In time that grows with the text alone. */
function inAddresses(text: string, change: (word: string, begin: number) => string): string {
  if (!text.includes('://')) return text;
  return text.replace(/\S+/g, (word) => {
    const scheme = word.indexOf('://');
    return scheme < 0 ? word : change(word, scheme + 3);
  });
}

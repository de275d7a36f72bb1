/** Removes logins from addresses; passwords may contain any character. */

/** Matches `user:password@`, or a login after `//`. */
const LOGIN = /\/\/\S*@|[^/\s:@"]+:(?!\/\/)[^\s"]+@/;
/** Longer texts with an @ are not searched: that takes the square of their length. */
const MAX_LENGTH = 500;

export function mayHoldLogin(text: string): boolean {
  return text.includes('@') && (text.length > MAX_LENGTH || LOGIN.test(text));
}

/** Removes all before the last @ of a text that is too long to search. */
export function withoutLogin(text: string): string {
  if (!mayHoldLogin(text)) return text;
  return text.length > MAX_LENGTH
    ? `…${text.slice(text.lastIndexOf('@'))}`
    : text.replaceAll(new RegExp(LOGIN, 'g'), '…@');
}

/** All before the last @: a parser adds missing slashes, and passwords may contain some. */
const BEFORE_HOST = /^(https?:[\\/]*)?.*@/is;
/** Includes the fragment, which may contain a key too. */
const QUERY = /([?#]).+$/s;

/** Removes login and query from a text that was meant as one address. */
export function shownAddress(text: string): string {
  return text.trim().replace(BEFORE_HOST, '$1…@').replace(QUERY, '$1…');
}

/** Punctuation at the end of an address may belong to the sentence. */
const PUNCTUATION = `'":.,`;

/** Removes the queries and fragments of addresses: they may contain a key. */
export function withoutQueries(text: string): string {
  return inAddresses(text, (word, begin) => {
    const query = begin + word.slice(begin).search(/[?#]/) + 1;
    let end = word.length;
    while (PUNCTUATION.includes(word.charAt(end - 1))) end -= 1;
    return query > begin && query < end ? `${word.slice(0, query)}…${word.slice(end)}` : word;
  });
}

/** Removes logins and queries from addresses in another program's output. */
export function withShownAddresses(text: string): string {
  const shown = inAddresses(text, (word, begin) => {
    // User and password: all before the last @ of the word, as above.
    const host = word.lastIndexOf('@') + 1;
    return host > begin ? word.slice(0, begin) + word.slice(host) : word;
  });
  return withoutQueries(shown);
}

/** Changes each word with an address; `begin` is the index after its scheme. Takes linear time. */
function inAddresses(text: string, change: (word: string, begin: number) => string): string {
  if (!text.includes('://')) return text;
  return text.replace(/\S+/g, (word) => {
    const scheme = word.indexOf('://');
    return scheme < 0 ? word : change(word, scheme + 3);
  });
}

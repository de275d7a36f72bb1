/** Removes possible secrets from URLs: logins, whose passwords may contain any character, and queries. */

/** Matches a login after `//`, or `user:password@`. */
const LOGIN = /(?<=\/\/)\S*@|[^/\s:@"]+:(?!\/\/)[^\s"]+@/;
/** Longer texts with an @ are not searched, because the search takes quadratic time. */
const MAX_LENGTH = 500;
/** Includes the fragment, which may contain a key too. */
const QUERY = /([?#]).+$/s;

export function mayHoldLogin(text: string): boolean {
  return text.includes('@') && (text.length > MAX_LENGTH || LOGIN.test(text));
}

/** Removes all before the last @ of a text that is too long to search, and a query after it. */
export function withoutLogin(text: string): string {
  if (!mayHoldLogin(text)) return text;
  return text.length > MAX_LENGTH
    ? `…${text.slice(text.lastIndexOf('@')).replace(QUERY, '$1…')}`
    : text.replaceAll(new RegExp(LOGIN, 'g'), '…@');
}

const ADDRESS = /:\/\/|…@/;
/** Punctuation at the end of an address may belong to the sentence. */
const PUNCTUATION = `'":.,`;

/** Removes logins and queries of the addresses in any text. Takes linear time. */
export function redacted(text: string): string {
  const shown = withoutLogin(text);
  if (!ADDRESS.test(shown)) return shown;
  return shown.replace(/\S+/g, (word) => {
    const begin = word.search(ADDRESS);
    if (begin < 0) return word;
    const query = begin + word.slice(begin).search(/[?#]/) + 1;
    let end = word.length;
    while (PUNCTUATION.includes(word.charAt(end - 1))) end -= 1;
    return query > begin && query < end ? `${word.slice(0, query)}…${word.slice(end)}` : word;
  });
}

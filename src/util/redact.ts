/** Removes possible secrets from URLs: queries, and credentials, whose password may contain any character. */

/** Matches credentials after `//`, or `user:password@`. */
const LOGIN = /(?<=\/\/)\S*@|[^/\s:@"]+:(?!\/\/)[^\s"]+@/;
/** Maximum length to search. The search takes quadratic time, so longer texts with an @ are cut instead. */
const MAX_LENGTH = 500;
/** Includes the fragment, because it may contain a key, too. */
const QUERY = /([?#]).+$/s;

export function mayHoldLogin(text: string): boolean {
  return text.includes('@') && (text.length > MAX_LENGTH || LOGIN.test(text));
}

/** Removes credentials. If the text is too long to search, removes everything before the last @, and the query. */
export function withoutLogin(text: string): string {
  if (!mayHoldLogin(text)) return text;
  return text.length > MAX_LENGTH
    ? `…${text.slice(text.lastIndexOf('@')).replace(QUERY, '$1…')}`
    : text.replaceAll(new RegExp(LOGIN, 'g'), '…@');
}

const ADDRESS = /:\/\/|…@/;
/** Punctuation that, at the end of a URL, may belong to the sentence. */
const PUNCTUATION = `'":.,`;

/** Removes credentials and queries of the URLs in a text. Takes linear time. */
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

/** What other programs say, which may hold addresses as they were given to them. */

/** User and password of an address: all before the last @, since people write slashes into passwords. */
const CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)\S*@/gi;

/** A token may stand there too; what ends the word is the program's. */
const QUERY = /([a-z][a-z0-9+.-]*:\/\/[^\s?]*\?)\S*?(?=['":.,]*(?:\s|$))/gi;

/** `text` with its addresses, but without a login or a query in them. */
export function withoutCredentials(text: string): string {
  return text.replace(CREDENTIALS, '$1').replace(QUERY, '$1…');
}

/** Parts of a text, of at most `length` UTF-16 units, that begin and end between characters. */

export function firstOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

export function lastOf(text: string, length: number): string {
  return text.slice(-length).replace(/^[\udc00-\udfff]/, '');
}

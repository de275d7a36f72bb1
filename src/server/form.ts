/** Forms and queries: `name=value&…` in percent-encoded UTF-8 (WHATWG URL, section 5). */

/** The last value of each name, as PHP reads a form. */
export type Form = ReadonlyMap<string, string>;

const MOST_FIELDS = 100;

/** Returns the reason, as the end of a sentence, where `bytes` is none or holds more than 100 fields. */
export function parseForm(bytes: Buffer): Form | { readonly reason: string } {
  const form = new Map<string, string>();
  try {
    const pairs = new TextDecoder('utf-8', { fatal: true }).decode(bytes).split('&', MOST_FIELDS + 1);
    if (pairs.length > MOST_FIELDS) return { reason: `holds more than ${MOST_FIELDS} fields` };
    for (const pair of pairs) {
      const [name = '', ...value] = pair.split('=');
      if (pair !== '') form.set(decode(name), decode(value.join('=')));
    }
    return form;
  } catch {
    return { reason: 'is not percent-encoded UTF-8' };
  }
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** Searches a text for a secret in all encodings: plain, URL, JSON, HTML, base64 and hex. */

/** Minimum length. A shorter secret is not searched in base64 and hex, in which it looks like ordinary words. */
const MIN_CODED_LENGTH = 16;
/** Number of first characters that must match before the other forms are compiled and searched. */
const PREFIX_LENGTH = 3;

/**
 * A percent sign may be escaped several times. Each run of these characters is read once, so that the search takes
 * linear time.
 */
const PERCENT = '%(?:25)*';
const BACKSLASHES = '\\\\+';
const AMPERSAND = `(?:&|${PERCENT}26)`;
const NUMBER = `(?:#|${PERCENT}23)`;
const END = `(?:;|${PERCENT}3b)`;
const ENTITY = `${AMPERSAND}(?:(?:amp|${NUMBER}0*38|${NUMBER}x0*26)${END})*`;
const HTML_NAMES: SignNames = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
/** Escapes of JSON (RFC 8259, section 7). */
const JSON_NAMES: SignNames = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };

type SignNames = Readonly<Record<string, string>>;

export interface SecretSearch {
  isIn(text: string): boolean;
  replacedIn(text: string, instead: string): string;
}

/** Finds `secret` in every encoding. */
export function searchFor(secret: string): SecretSearch {
  const coded = secret.length < MIN_CODED_LENGTH ? [] : codedFormsOf(secret);
  const beginning = new RegExp(escapedFormsOf([...secret].slice(0, PREFIX_LENGTH)), 'i');
  // Compiled on demand, because compiling takes longer than some commands.
  let all: RegExp | undefined;
  const forms = (): RegExp => {
    all ??= new RegExp([escapedFormsOf([...secret]), ...coded.map(literal)].join('|'), 'gi');
    return all;
  };
  const mayBeIn = (text: string): boolean =>
    beginning.test(text) || coded.some((form) => text.includes(form));
  return {
    isIn: (text) => mayBeIn(text) && text.search(forms()) >= 0,
    replacedIn: (text, instead) => (mayBeIn(text) ? text.replace(forms(), () => instead) : text),
  };
}

function escapedFormsOf(characters: readonly string[]): string {
  return characters.map(formsOfCharacter).join('');
}

function formsOfCharacter(character: string, index: number): string {
  const bytes = [...new TextEncoder().encode(character)];
  const units = Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at), 4));
  const code = character.codePointAt(0) ?? 0;
  const [inHtml, inJson] = [HTML_NAMES[character], JSON_NAMES[character]];
  const run = index === 0 ? `(?<!\\\\)${BACKSLASHES}` : BACKSLASHES;
  // Characters before the secret are not part of the match, unless its first character needs an escape.
  const before = index === 0 && character !== '"' ? '' : `(?:${run})?`;
  const forms = [
    `${ENTITY}${NUMBER}(?:0*${code}|x0*${hex(code, 1)})${END}`,
    ...(inHtml === undefined ? [] : [`${ENTITY}${inHtml}${END}`]),
    ...(inJson === undefined ? [] : [run + inJson]),
    bytes.map((byte) => PERCENT + hex(byte, 2)).join(''),
    units.map((unit, at) => `${at === 0 ? run : BACKSLASHES}u${unit}`).join(''),
    ...(character === ' ' ? ['\\+'] : []),
    // Must be last, because escapes of other characters begin with one of these.
    character === '\\' ? run : before + literal(character),
  ];
  return `(?:${forms.join('|')})`;
}

/** Returns the secret in both base64 alphabets (RFC 4648, sections 4 and 5) and in hex. */
function codedFormsOf(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const inHex = [...bytes].map((byte) => hex(byte, 2)).join('');
  // A secret may start at three offsets in base64. Characters that also depend on its neighbors are removed.
  const inBase64 = [0, 1, 2].map((before) => {
    const all = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes));
    return all.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
  });
  const inAddresses = inBase64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [inHex, inHex.toUpperCase(), ...inBase64, ...inAddresses];
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}

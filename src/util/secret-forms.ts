/** The forms in which a text may stand in another one: as it is, in an address, in JSON, in HTML, in base64, in hex. */

/** A short text is looked for as it is: its other forms are too like ordinary words. */
const LONG = 16;
/** By so many characters the rest is worth looking for. */
const HINT = 3;

/**
 * An address inside another one, inside a page, is escaped again and again. Each run of signs is looked at once: the
 * search takes time that grows with the text alone.
 */
const PERCENT = '%(?:25)*';
const BACKSLASHES = '\\\\+';
const AMPERSAND = `(?:&|${PERCENT}26)`;
const NUMBER = `(?:#|${PERCENT}23)`;
const END = `(?:;|${PERCENT}3b)`;
const ENTITY = `${AMPERSAND}(?:(?:amp|${NUMBER}0*38|${NUMBER}x0*26)${END})*`;
const HTML_NAMES: Names = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
/** RFC 8259, section 7. */
const JSON_NAMES: Names = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };

type Names = Readonly<Record<string, string>>;

export interface SecretSearch {
  isIn(text: string): boolean;
  /** `text` with `instead` in the place of the secret. */
  replacedIn(text: string, instead: string): string;
}

/**
 * Looks for `secret`, which is not empty, in any of its forms; for one under 16 characters as it is alone, unless
 * `shortToo` asks for its forms but those of base64 and hex.
 */
export function searchFor(secret: string, { shortToo = false } = {}): SecretSearch {
  const isShort = secret.length < LONG;
  if (isShort && !shortToo) {
    return {
      isIn: (text) => text.includes(secret),
      replacedIn: (text, instead) => text.replaceAll(secret, () => instead),
    };
  }
  const coded = isShort ? [] : codedFormsOf(secret);
  const beginning = new RegExp(escapedFormsOf([...secret].slice(0, HINT)), 'i');
  // To compile it takes longer than many a command does.
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
  // What stands before the first is not its own, unless it could not stand without.
  const before = index === 0 && character !== '"' ? '' : `(?:${run})?`;
  const forms = [
    `${ENTITY}${NUMBER}(?:0*${code}|x0*${hex(code, 1)})${END}`,
    ...(inHtml === undefined ? [] : [`${ENTITY}${inHtml}${END}`]),
    ...(inJson === undefined ? [] : [run + inJson]),
    bytes.map((byte) => PERCENT + hex(byte, 2)).join(''),
    units.map((unit, at) => `${at === 0 ? run : BACKSLASHES}u${unit}`).join(''),
    ...(character === ' ' ? ['\\+'] : []),
    // Last: what escapes another character begins with one of these.
    character === '\\' ? run : before + literal(character),
  ];
  return `(?:${forms.join('|')})`;
}

/** In base64 of both alphabets (RFC 4648, sections 4 and 5) and in hex. */
function codedFormsOf(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const inHex = [...bytes].map((byte) => hex(byte, 2)).join('');
  // Behind 0, 1 and 2 other bytes, without the characters that the neighbors have a part in.
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

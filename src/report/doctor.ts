/** The findings of `websites doctor`, for a person and for a program. */
import type { Findings } from '../model/doctor-findings.ts';
import type { Document } from './document.ts';
import { jsonDocument } from './json.ts';
import { joinTexts, prose, safe, say, type Text } from './sanitize.ts';
import { pad, widestOf } from './text.ts';
import { count, duration, joinShortenedTexts } from './words.ts';

export const DOCTOR_FORMAT = 'websites.doctor/1';

export function doctorJson(findings: Findings): string {
  return jsonDocument({ format: DOCTOR_FORMAT, ...findings, pins: pinsOf(findings) });
}

/** A row for each fact, then the keys to set as YAML that can be pasted. */
export function doctorDocument(findings: Findings): Document {
  return {
    about: say`Websites doctor`,
    headline: prose(findings.base_url),
    body: [
      { kind: 'table', rows: factsOf(findings).map((cells) => ({ cells })), wraps: true },
      { kind: 'code', title: say`For the file`, lines: pinLines(pinsOf(findings)) },
    ],
  };
}

/** In the order in which a run depends on them. */
function factsOf(findings: Findings): readonly (readonly [topic: Text, text: Text])[] {
  const { redirects, search_finds, tells_password_set, favorite, www, duplicates, unreadable } = findings;
  const from = redirects.map(({ from, status }) => say`; ${prose(from)} redirects there (${status})`);
  const { complete, reason, records } = findings.list;
  const all = complete ? say`all there are` : say`possibly not all, so nothing is pruned`;
  const named = (texts: readonly string[]): Text =>
    texts.length === 0 ? say`none` : joinShortenedTexts(texts.map((text) => prose(text)));
  const search = search_finds
    ? say`finds a record`
    : search_finds === null
      ? say`no record`
      : say`misses a record`;
  return [
    [say`address`, say`${prose(findings.base_url)}${joinTexts(from, '')}`],
    [say`list`, say`${count(records, 'record')}, ${all} (${prose(reason)})`],
    [say`pages`, pagesText(findings.list)],
    [say`search`, search],
    [say`fields`, fieldsText(findings)],
    [say`unreadable`, named(unreadable)],
    [say`passwords`, say`records ${tells_password_set ? 'show' : 'do not show'} if one is set`],
    [say`favorite`, favorite === null ? say`no record shows it` : say`shown as ${prose(favorite)}`],
    [say`www.`, say`${count(www.with, 'record')} with a leading www., ${www.both} of them also without it`],
    [say`duplicates`, named(duplicates)],
    [say`rate limit`, rateText(findings)],
  ];
}

const WAYS = {
  total: say`by number, with a total`,
  links: say`by next links, without a total`,
  cursor: say`by cursors`,
  numbers: say`by number until one is empty`,
};

function pagesText({ envelope, paging, page_size, refused_parameters }: Findings['list']): Text {
  const parts = [
    envelope === '' ? say`a bare array` : say`under "${prose(envelope)}"`,
    WAYS[paging],
    ...(page_size === null ? [] : [say`${page_size} a page`]),
    ...(refused_parameters.length === 0
      ? []
      : [say`it refuses ${joinShortenedTexts(refused_parameters.map((name) => prose(name)))}`]),
  ];
  return joinTexts(parts, '; ');
}

const PLACES = {
  list: say`in lists`,
  read: say`only in a single record`,
  nowhere: say`nowhere`,
  unknown: say`unknown`,
};

function fieldsText({ fields }: Findings): Text {
  const texts = Object.entries(PLACES).flatMap(([place, text]) => {
    const names = fields.filter(({ shown }) => shown === place).map(({ name }) => say`${name}`);
    return names.length === 0 ? [] : [say`${joinTexts(names, ', ')} ${text}`];
  });
  return joinTexts(texts, '; ');
}

function rateText({ rate_limit }: Findings): Text {
  if (rate_limit === null) return say`answers name none`;
  const { limit, remaining, reset_ms, headers } = rate_limit;
  const parts = [
    ...(limit === null ? [] : [say`${limit} requests a window`]),
    ...(remaining === null ? [] : [say`${remaining} left`]),
    ...(reset_ms === null ? [] : [say`a new one in ${duration(reset_ms / 1000)}`]),
  ];
  return say`${joinTexts(parts, ', ')} (${joinShortenedTexts(headers.map((name) => prose(name)))})`;
}

/** Keys of `service:` that the file should, or may have to, set; a null value is for the reader to decide. */
function pinsOf({ redirects, base_url, www, favorite }: Findings) {
  const base = { key: 'base_url', value: base_url, reason: 'every run starts with a redirect to it' };
  return [
    ...(redirects.length > 0 ? [base] : []),
    www.with > 0
      ? { key: 'www', value: 'distinct', reason: 'records keep their leading www.' }
      : { key: 'www', value: null, reason: 'same or distinct; no record has a leading www.' },
    favorite === null
      ? { key: 'favorite', value: null, reason: 'favorited_at or favorite; no record shows it' }
      : { key: 'favorite', value: favorite, reason: 'records show it by this name' },
  ];
}

/** Settled keys as YAML, those left to the reader as comments. */
function pinLines(pins: ReturnType<typeof pinsOf>): Text[] {
  const texts = pins.map(({ key, value }) => (value === null ? `# ${key}:` : `${key}: ${value}`));
  const width = widestOf(texts);
  return [
    pins.some(({ value }) => value !== null) ? say`service:` : say`# service:`,
    ...pins.map(
      ({ reason }, at) =>
        say`  ${safe(pad(texts[at] ?? '', width), Number.POSITIVE_INFINITY)}  # ${prose(reason)}`,
    ),
  ];
}

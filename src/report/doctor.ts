import type { Findings } from '../model/doctor-findings.ts';
import { type Block, type Document, listOf, messagesOf } from './document.ts';
import { documentJson } from './json.ts';
import { count, joinShortenedTexts, joinTexts, prose, safe, say, type Text } from './sanitize.ts';
import { linedUp } from './text.ts';

export function doctorJson(findings: Findings): string {
  return documentJson('doctor', { ...findings, pins: pinsOf(findings) });
}

export function doctorDocument(findings: Findings): Document {
  return {
    headline: prose(findings.base_url),
    body: [
      { kind: 'table', items: factsOf(findings) },
      messagesOf({ text: say`Add to the configuration:` }),
      pinBlock(findings),
    ],
  };
}

/** Returns the facts in the order in which a run needs them. */
function factsOf(findings: Findings): readonly (readonly [topic: Text, text: Text])[] {
  const { redirects, search_finds, tells_password_set, favorite, www, duplicates, unreadable } = findings;
  const from = redirects.map(({ from, status }) => say`, ${prose(from)} redirects to it (${status})`);
  const { complete, reason, records } = findings.list;
  const all = complete ? say`complete` : say`may be incomplete, so nothing is pruned`;
  const search = search_finds
    ? say`finds a known record`
    : search_finds === null
      ? say`not tried, because there is no record`
      : say`does not find a known record`;
  const fieldRows = Object.entries(PLACES).flatMap(([place, text]) => {
    const names = findings.fields.flatMap(({ name, shown }) => (shown === place ? [say`${name}`] : []));
    return names.length === 0 ? [] : [[text, joinTexts(names)] as const];
  });
  return [
    [say`address`, say`${prose(findings.base_url)}${joinTexts(from, '')}`],
    [say`list`, say`${count(records, 'record')}, ${all} (${prose(reason)})`],
    [say`search`, search],
    ...fieldRows,
    [say`unreadable`, namesOf(unreadable) || say`none`],
    [say`passwords`, say`records ${tells_password_set ? 'show' : 'do not show'} if one is set`],
    [say`favorite`, favorite === null ? say`no record shows it` : say`shown as ${prose(favorite)}`],
    [say`www.`, say`${count(www.with, 'record')} with a leading www., ${www.both} of them also without it`],
    [say`duplicates`, namesOf(duplicates) || say`none`],
    [say`rate limit`, rateText(findings)],
  ];
}

function namesOf(names: readonly string[]): Text {
  return joinShortenedTexts(names.map((name) => prose(name)));
}

const PLACES = {
  list: say`in lists`,
  read: say`only by ID`,
  nowhere: say`never returned`,
  unknown: say`not known`,
};

function rateText({ rate_limit }: Findings): Text {
  if (rate_limit === null) return say`none in the responses`;
  const { limit, headers } = rate_limit;
  return say`${limit !== null && say`${limit} requests per window, `}shown as ${namesOf(headers)}`;
}

/** Keys of `service:` that the file should have or may need. null means that the user must choose the value. */
function pinsOf({ redirects, base_url, www, favorite }: Findings) {
  const base = { key: 'base_url', value: base_url, reason: 'avoids a redirect at the start of every run' };
  return [
    ...(redirects.length > 0 ? [base] : []),
    www.with > 0
      ? { key: 'www', value: 'distinct', reason: 'records keep their leading www.' }
      : { key: 'www', value: null, reason: 'same or distinct (no record has a leading www.)' },
    favorite === null
      ? { key: 'favorite', value: null, reason: 'favorited_at or favorite (no record shows it)' }
      : { key: 'favorite', value: favorite, reason: 'records show it by this name' },
  ];
}

/** On a terminal, the list is YAML to copy. */
function pinBlock(findings: Findings): Block {
  const pins = pinsOf(findings);
  const rows = pins.map(({ key, value, reason }): Text[] => {
    const pin =
      value === null ? say`# ${prose(key)}:` : say`${prose(key)}: ${safe(value, Number.POSITIVE_INFINITY)}`;
    return [pin, say`# ${prose(reason)}`];
  });
  return listOf(pins.some(({ value }) => value !== null) ? 'service' : '# service', linedUp(rows));
}

/** What an examination found, answer by answer, and how far each can be trusted. */
import type { Findings } from '../model/doctor-findings.ts';
import { count, duration, some } from './text.ts';

/**
 * `proven`: it was tested and cannot be otherwise at this moment. `seen`: answers showed it, others might
 * not. `doubtful`: what was seen stands in the way of relying on it. `unknown`: reading does not show it.
 */
export type AnswerTrust = 'proven' | 'seen' | 'doubtful' | 'unknown';

export interface DoctorAnswer {
  readonly topic: string;
  readonly trust: AnswerTrust;
  /** What was found, as a clause. */
  readonly finding: string;
  /** What follows from it, where something does. */
  readonly meaning?: string;
}

/** What is told of a topic. */
type Told = Omit<DoctorAnswer, 'topic'>;

/** By topic, in the order in which a run depends on them. */
const ANSWERS: Readonly<Record<string, (findings: Findings) => Told>> = {
  address: addressAnswer,
  list: listAnswer,
  pages: pagingAnswer,
  search: searchAnswer,
  fields: fieldsAnswer,
  values: formsAnswer,
  unreadable: unreadableAnswer,
  passwords: passwordAnswer,
  favorite: favoriteAnswer,
  'www.': wwwAnswer,
  duplicates: duplicatesAnswer,
  errors: errorsAnswer,
  'rate limit': rateAnswer,
  updates: updatesAnswer,
};

/** Every answer, in that order. */
export function answersOf(findings: Findings): readonly DoctorAnswer[] {
  return Object.entries(ANSWERS).map(([topic, answer]) => ({ topic, ...answer(findings) }));
}

function addressAnswer({ base_url, redirects }: Findings): Told {
  const [first] = redirects;
  if (first === undefined) return { trust: 'proven', finding: `${base_url} responds directly` };
  const finding = `${first.from} redirects to ${base_url} (${first.status})`;
  return { trust: 'proven', finding, meaning: 'method, body and key go along' };
}

function listAnswer({ list }: Findings): Told {
  const records = count(list.records, 'record');
  if (list.complete) return { trust: 'proven', finding: `${records}, all there are (${list.reason})` };
  return {
    trust: 'doubtful',
    finding: `${records}, possibly not all (${list.reason})`,
    meaning: 'each declared domain is looked up by search, orphans are unknown and prune is blocked',
  };
}

const PAGING = {
  total: 'by number, with a total; they are fetched in parallel',
  links: 'by next links, without a total; they are fetched one after the other, twice',
  cursor: 'by cursors; they are fetched one after the other',
  numbers: 'by number until one is empty; there is no total, so they are fetched twice',
} as const;

function pagingAnswer({ list }: Findings): Told {
  const holder = list.envelope === '' ? 'a bare array' : `under "${list.envelope}"`;
  const isOnePage = list.pages <= 1;
  const paging =
    isOnePage && list.paging === 'numbers'
      ? 'one page; it does not say whether there are more'
      : PAGING[list.paging];
  const size = list.page_size === null ? '' : `; ${list.page_size} a page`;
  const capped = list.page_size_capped ? ', fewer than asked for' : '';
  const refused = list.refused_parameters.length === 0 ? '' : `; it refuses ${some(list.refused_parameters)}`;
  return {
    trust: list.complete ? (isOnePage ? 'seen' : 'proven') : 'doubtful',
    finding: `${holder}; ${paging}${size}${capped}${refused}`,
  };
}

function searchAnswer({ search_finds }: Findings): Told {
  if (search_finds === null) return { trust: 'unknown', finding: 'no record to search for' };
  if (search_finds) return { trust: 'seen', finding: 'a search finds the record of a domain' };
  return {
    trust: 'doubtful',
    finding: 'a search does not find an existing record',
    meaning: 'a create whose answer is lost may stay unknown',
  };
}

const SHOWN = {
  list: 'in lists',
  read: 'only when one record is read',
  nowhere: 'nowhere',
  unknown: '',
} as const;

function fieldsAnswer({ fields }: Findings): Told {
  const named = (where: keyof typeof SHOWN): string[] =>
    fields.filter(({ shown }) => shown === where).map(({ name }) => name);
  if (named('unknown').length === fields.length) return { trust: 'unknown', finding: 'no record shows any' };
  const parts = (['list', 'read', 'nowhere'] as const)
    .filter((where) => named(where).length > 0)
    .map((where) => `${named(where).join(', ')} ${SHOWN[where]}`);
  const meanings = [
    ...(named('read').length > 0 ? ['if such a setting is declared, records are read one by one'] : []),
    ...(named('nowhere').length > 0
      ? ['a setting that is never returned is sent with other changes and never compared']
      : []),
  ];
  const meaning = meanings.length === 0 ? {} : { meaning: meanings.join('; ') };
  return { trust: 'seen', finding: parts.join('; '), ...meaning };
}

function formsAnswer({ forms }: Findings): Told {
  const told = [
    forms.ids && `ids as ${forms.ids}`,
    forms.flags && `flags as ${forms.flags}`,
    forms.line_ends && `lines end in ${forms.line_ends}`,
    forms.times && `times ${forms.times}`,
  ].filter((text) => text !== null);
  if (told.length === 0) return { trust: 'unknown', finding: 'no record shows any' };
  return { trust: 'seen', finding: told.join(', '), meaning: 'all forms are read alike' };
}

function unreadableAnswer({ unreadable }: Findings): Told {
  if (unreadable.length === 0) return { trust: 'seen', finding: 'every value can be read' };
  const meaning = 'these values are not compared, and cannot be sent back with an update';
  return { trust: 'doubtful', finding: some(unreadable), meaning };
}

function passwordAnswer({ tells_password_set }: Findings): Told {
  if (tells_password_set === null) return { trust: 'unknown', finding: 'there is no record' };
  if (tells_password_set) return { trust: 'seen', finding: 'records show whether one is set' };
  return {
    trust: 'seen',
    finding: 'records do not show whether one is set',
    meaning: 'a declared password goes with other changes of its record, or with --resend-passwords',
  };
}

function favoriteAnswer({ favorite }: Findings): Told {
  if (favorite === null)
    return { trust: 'unknown', finding: 'no record shows it', meaning: 'favorited_at is sent' };
  const only = favorite === 'favorite' ? { meaning: 'its presence is compared, its time is not' } : {};
  return { trust: 'seen', finding: `shown as ${favorite}`, ...only };
}

function wwwAnswer({ www }: Findings): Told {
  const both = www.both > 0 ? `, ${www.both} of them next to the domain without it` : '';
  if (www.with === 0) return { trust: 'unknown', finding: 'no record has a leading www.' };
  const finding = `${count(www.with, 'record')} with a leading www.${both}`;
  return { trust: 'proven', finding, meaning: 'www.x and x are two websites' };
}

function duplicatesAnswer({ duplicates, list }: Findings): Told {
  if (duplicates.length > 0) {
    const finding = `several records have the domain ${some(duplicates)}`;
    return { trust: 'proven', finding, meaning: 'changes to these are blocked, and none is deleted' };
  }
  const trust = list.complete ? 'proven' : 'doubtful';
  return { trust, finding: 'each listed domain has one record' };
}

function errorsAnswer({ unknown_record: { status, json } }: Findings): Told {
  const finding = `a record that does not exist: ${status ?? 'no answer'}, ${json ? 'JSON' : 'no JSON'}`;
  if (status === 404 || status === 410) return { trust: 'seen', finding };
  const doubt = 'a deleted record looks the same as a failure';
  return { trust: 'doubtful', finding, meaning: doubt };
}

function rateAnswer({ rate_limit }: Findings): Told {
  if (rate_limit === null) {
    const meaning = 'the rate is learned from responses that ask to slow down';
    return { trust: 'unknown', finding: 'answers name none', meaning };
  }
  const { limit, remaining, reset_ms, headers } = rate_limit;
  const told = [
    ...(limit === null ? [] : [`${limit} requests a window`]),
    ...(remaining === null ? [] : [`${remaining} left`]),
    ...(reset_ms === null ? [] : [`a new one in ${duration(reset_ms / 1000)}`]),
  ];
  return { trust: 'seen', finding: `${told.join(', ')} (${some(headers)})` };
}

function updatesAnswer({ updates }: Findings): Told {
  if (updates === null) {
    return {
      trust: 'unknown',
      finding: 'only an update shows whether the service keeps the settings that it omits',
      meaning: 'the first update of an apply finds out',
    };
  }
  const { keeps, resets, since } = updates;
  const finding = [
    ...(resets.length > 0 ? [`resets ${resets.join(', ')}`] : []),
    ...(keeps.length > 0 ? [`keeps ${keeps.join(', ')}`] : []),
  ].join(', ');
  const pin = resets.length > 0 ? 'full' : 'changed';
  return {
    trust: 'seen',
    finding: `of the settings that an update omits, the service ${finding} (learned at ${since})`,
    meaning: `"service.update: ${pin}" pins it`,
  };
}

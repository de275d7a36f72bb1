import { FIELDS } from '../model/field-table.ts';
import type { Difference, RunFact } from '../model/run.ts';
import { plainValueText } from '../planner/side-effects.ts';
import { joinShortened } from '../util/text.ts';

const FIXED = {
  interrupted: 'it was interrupted',
  'create-failed': 'a create did not succeed, so deletes were skipped',
  'pin-wrong':
    'an update reset a setting that it omitted, although "service.update" is "changed" (remove that pin)',
  'pin-saves-requests':
    'This service keeps what an update omits. "service.update: changed" in the file saves one request for each update.',
  found: 'the record already matched the plan, so nothing was sent',
  adopted: 'the response was lost, but the record was found and adopted',
  applied: 'the response was lost, but it was applied',
  gone: 'the response was lost, but the record is gone',
} as const;

/** Returns the sentence for a fact of a run, or a part of one. JSON contains the same text. */
export function factText(fact: RunFact): string {
  switch (fact.code) {
    case 'failed':
      return `${countText('change', fact.count)} failed (WEBSITES_MAX_FAILURES)`;
    case 'failed-in-row':
      return `the service failed ${fact.count} times in a row`;
    case 'failed-share':
      return `${fact.count} of ${fact.of} changes failed`;
    case 'stale':
      return `${countText('record', fact.count)} changed since the plan was made`;
    case 'canary-failed':
      return `stopped after the canary: ${countText('change', fact.count)} failed`;
    case 'canary-unlike':
      return `stopped after the canary: the service does not show ${countText('change', fact.count)}`;
    case 'canary-unverified': {
      const why = fact.reason === undefined ? '' : ` (${fact.reason})`;
      return `stopped after the canary: it cannot be verified${why}`;
    }
    case 'stored-as':
      return `the service stored it as ${fact.domain}${fact.needsKey ? ': set "service.www" to "same"' : ''}`;
    case 'noted':
      return `${joinShortened(fact.domains)}: ${fact.note}.`;
    case 'secret-warning':
      return `A secret ${fact.warning}: ${joinShortened(fact.secrets)}.`;
    case 'unverified':
      return `Could not verify: ${fact.reason}`;
    case 'unknown':
      return `${fact.domain}: it is not known if the service has a record.`;
    case 'exists':
      return `${fact.domain} already exists (#${fact.id}).`;
    case 'vanished':
      return `${fact.domain} no longer exists (#${fact.id}).`;
    case 'renamed':
      return `${fact.domain} no longer exists: #${fact.id} is now ${fact.name}.`;
    case 'changed':
      return `${fact.domain} (#${fact.id}) was changed: ${fact.differences.map(differenceText).join('; ')}.`;
    case 'still-exists':
      return `${fact.domain} still exists`;
    case 'missing':
      return `${fact.domain} does not exist`;
    case 'repeated':
      return `${fact.name} exists ${fact.ids.length} times (#${fact.ids.join(', #')}): delete all but one on the service`;
    case 'ignored':
      return `${fact.domain}: the service ignored ${fact.field}`;
    case 'not-as-sent':
      return `${fact.domain}: ${fact.field} is not as it was sent`;
    default:
      return FIXED[fact.code];
  }
}

function countText(noun: string, count: number): string {
  return count === 1 ? `one ${noun}` : `${count} ${noun}s`;
}

function differenceText({ field, before, after }: Difference): string {
  if (FIELDS[field].secret && before === true) return `${field} was set and is not set`;
  const was = before === undefined ? 'not shown' : plainValueText(field, before);
  return `${field} is ${plainValueText(field, after)} and was ${was}`;
}

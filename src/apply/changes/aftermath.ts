/** What an update did to settings that it left out. */
import type { Update } from '../../model/change.ts';
import { FIELDS, type FieldName, PRIVACY, READABLE_NAMES, type Settings } from '../../model/field-table.ts';
import { isEmpty } from '../../model/field-types.ts';
import { ServiceError } from '../../model/service.ts';
import type { Website } from '../../model/website.ts';
import { knowledgeKey } from '../../update/knowledge.ts';
import type { Sighting } from '../../update/update-form.ts';
import { isAfter } from '../checks/is-applied.ts';
import { VERIFY_WAITS } from '../checks/verify.ts';
import type { ExecutionContext } from './context.ts';
import { reread } from './refetch.ts';

export interface Aftermath {
  /** Left out, not empty, and shown as before: what they are known by. */
  readonly stayed: readonly string[];
  /** Whether any did, be it privacy, which is never known to. */
  readonly confirms: boolean;
  /** Left out, and shown otherwise than before. */
  readonly changed: readonly FieldName[];
  /** A password was set before, and is not any more, which the update did not ask for. */
  readonly lostPassword: boolean;
}

/** Compares what a record showed before an update, and after it, of what the update left out. */
export function aftermathOf(
  change: Update,
  before: Sighting,
  leftOut: readonly FieldName[],
  after: Website,
): Aftermath {
  const stayed: string[] = [];
  const changed: FieldName[] = [];
  let confirms = false;
  for (const name of leftOut) {
    const [was, is] = [before.settings[name], after.settings[name]];
    if (was === undefined || is === undefined) continue;
    if (!FIELDS[name].kind.equal(was, is)) changed.push(name);
    else if (!isEmpty(was)) {
      confirms = true;
      if (name !== 'privacy') stayed.push(knowledgeKey(name, was));
    }
  }
  return {
    stayed,
    confirms,
    changed,
    lostPassword: losesPassword(change, before.passwordSet, after.passwordSet),
  };
}

/** Moving privacy away from the password may take it away; nothing else may, unless it is asked for. */
function losesPassword({ fields, alongside }: Update, was?: boolean, is?: boolean): boolean {
  const isAsked = (fields.password ?? alongside.password) !== undefined;
  const { privacy } = fields;
  const opens = privacy !== undefined && 'before' in privacy && privacy.before === PRIVACY.password;
  return was === true && is === false && !isAsked && !opens;
}

/**
 * The record as it is after a trial: the answer, if it shows the change and all that was left out, else a reading that
 * does, with the waits of verification; `undefined` where none does.
 */
export async function readAfter(
  change: Update,
  answer: Website | undefined,
  shown: Settings,
  { service, clock, signal }: ExecutionContext,
): Promise<Website | undefined> {
  const names = READABLE_NAMES.filter((name) => shown[name] !== undefined);
  const isWhole = names.every((name) => answer?.settings[name] !== undefined);
  if (answer !== undefined && isWhole && isAfter(change, answer)) return answer;
  for (const wait of [0, ...VERIFY_WAITS]) {
    if (wait > 0) await clock.sleep(wait, signal);
    if (signal.aborted) return undefined;
    const website = await readOrNothing(change, { ...change, before: shown }, service);
    if (website !== undefined) return website;
  }
  return undefined;
}

async function readOrNothing(
  change: Update,
  subject: Update,
  service: ExecutionContext['service'],
): Promise<Website | undefined> {
  try {
    const website = await reread(service, subject);
    return website !== undefined && isAfter(change, website) ? website : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

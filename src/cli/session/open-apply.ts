/** What applying what the files say begins with. */

import { RESULT_FORMATS } from '../../report/formats.ts';
import type { Here } from '../../report/plan/secrets.ts';
import { missingSecrets } from '../../run/values.ts';
import type { ConnectSettings } from '../../sync/connect.ts';
import { type Opening, openFresh, type Session } from '../../sync/session.ts';
import { type ApproveFlags, mayApply } from '../apply/approve.ts';
import type { Io } from '../io/io.ts';
import { type PrepareFlags, prepare } from './prepare.ts';

/** A plan that was just made from the files, and may be carried out until its session is closed. */
interface Opened {
  readonly session: Session;
  readonly here: Here;
}

/** Prepares, and opens a session. Throws what any part of it throws. */
export async function openApply(flags: PrepareFlags & ApproveFlags, io: Io): Promise<Opened> {
  const { config, options, extras, settings } = await prepare(flags, io, RESULT_FORMATS);
  const session = await openFresh(config, options, extras, openingOf(settings, flags, io));
  return { session, here: await hereOf(session) };
}

/** What opening a session takes, as the command line says it. */
export function openingOf(settings: ConnectSettings, flags: ApproveFlags, io: Io): Opening {
  return { settings, tell: io.err, onlyLooks: !mayApply(flags, io) };
}

/** The secrets that the plan of a session sends, and that are not set here. */
export async function hereOf({ plan, secrets }: Session): Promise<Here> {
  return { unset: await missingSecrets(plan.changes, secrets.resolve) };
}

/** Events of a run: a progress line for a person, a line of NDJSON for a program. */
import type { Action } from '../model/change.ts';
import type { Plan } from '../model/plan.ts';
import type { RunEvent, Subject } from '../model/run.ts';
import { planLines } from '../planner/plan-file/write.ts';
import { SIGNS } from './changes.ts';
import { jsonLine } from './json.ts';
import { fateText } from './result.ts';
import { prose, safe, safeDomain, safeId, safeJson } from './sanitize.ts';
import type { Style } from './style.ts';
import { count, duration, pageOf, type RenderOptions } from './text.ts';

export const EVENT_FORMAT = 'websites.event/1';

export const DONE = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
} as const satisfies Record<Action, string>;

/**
 * The first line of a stream of events. Every line is an object with a `type`; a reader refuses a stream of
 * another format, and leaves out what it does not know.
 */
export function eventStreamOpening(): string {
  return jsonLine({ type: 'version', format: EVENT_FORMAT });
}

/** One event as a line of NDJSON. */
export function eventJson(event: RunEvent): string {
  return jsonLine(event);
}

/** What is about to be applied: a line for each change, and one for what they come to. */
export function planEvents(plan: Plan): string {
  const { created_at, expires_at, service, summary, guards, warnings, cost, digest } = plan;
  return [
    ...planLines(plan, 'changes').map(plannedChanges),
    jsonLine({
      type: 'change_summary',
      ...summary,
      created_at,
      expires_at,
      service,
      guards,
      warnings,
      cost,
      digest,
    }),
  ].join('');
}

/** A piece of changes, one a line, as lines of a stream. */
function plannedChanges(lines: string): string {
  return `${safeJson(lines).replace(/^\{/gm, '{"type":"planned_change",')}\n`;
}

/** One event as a line for a person, or `undefined` where it is not worth one. */
export function eventHuman(event: RunEvent, options: RenderOptions): string | undefined {
  const text = eventText(event, pageOf(options).style);
  return text === undefined ? undefined : `${text}\n`;
}

function eventText(event: RunEvent, style: Style): string | undefined {
  switch (event.type) {
    case 'run_started':
      return `Run ${safe(event.run)}: ${count(event.changes, 'change')}.`;
    case 'change_done': {
      const note = event.note === undefined ? '' : `  (${prose(event.note)})`;
      return `${style.good(`${SIGNS[event.action]} ${DONE[event.action]}`)}  ${nameOf(event)}${style.dim(note)}`;
    }
    case 'change_failed':
      // The result tells why.
      return `${style.bad(`! ${event.action} ${fateText(event)}`)}  ${nameOf(event)}`;
    case 'earlier_run':
      return prose(event.message);
    case 'stopping':
      return `${style.warn('Stopping')}: ${prose(event.reason)}`;
    case 'canary_started':
      return style.strong(`Canary: ${count(event.changes, 'change')}.`);
    case 'canary_verified': {
      const failed = event.failed > 0 ? `; ${count(event.failed, 'change')} failed` : '';
      return `Canary ${style.good('verified')}: ${count(event.done, 'change')}${failed}.`;
    }
    case 'verify_started':
      return 'Verifying …';
    case 'verify_waiting':
      return `${count(event.open, 'change')} not visible yet; reading again in ${duration(event.milliseconds / 1000)}.`;
    case 'change_started':
    case 'run_ended':
      return undefined;
  }
}

function nameOf({ domain, id }: Subject): string {
  return id === undefined ? safeDomain(domain) : `${safeDomain(domain)}  ${safeId(id)}`;
}

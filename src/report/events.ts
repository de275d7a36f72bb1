import type { Action } from '../model/change.ts';
import type { Plan } from '../model/plan.ts';
import type { RunEvent, Subject } from '../model/run.ts';
import type { ReadProgress, RequestFacts } from '../model/service.ts';
import { canonicalJson } from '../planner/plan-file/write.ts';
import { SIGNS } from './changes.ts';
import { FORMATS, jsonLine } from './json.ts';
import {
  count,
  duration,
  guarded,
  joinTexts,
  outcomeText,
  prose,
  safe,
  safeDomain,
  safeId,
  safeJson,
  say,
  type Text,
} from './sanitize.ts';
import { pageOf, type RenderOptions, type Style } from './text.ts';

export const DONE = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
} as const satisfies Record<Action, string>;

/**
 * Returns the first line of an event stream. Each line is an object with a `type`. Readers must reject an unknown
 * format, and ignore unknown types.
 */
export function eventStreamOpening(): string {
  return jsonLine({ type: 'version', format: FORMATS.event });
}

export function planEvents(plan: Plan): string {
  const { created_at, expires_at, service, guards, warnings, cost, digest } = plan;
  const facts = { created_at, expires_at, service, guards, warnings, cost, digest };
  return [
    ...plan.changes.map((change) => `{"type":"planned_change",${safeJson(canonicalJson(change)).slice(1)}\n`),
    jsonLine({ type: 'change_summary', ...plan.summary, ...facts }),
  ].join('');
}

export function eventHuman(event: RunEvent, options: RenderOptions): string | undefined {
  const line = lineOf(event, pageOf(options).style);
  return line === undefined ? undefined : `${guarded(line)}\n`;
}

function lineOf(event: RunEvent, style: Style): string | undefined {
  switch (event.type) {
    case 'run_started':
      return say`Run ${safe(event.run)}: ${count(event.changes, 'change')}.`;
    case 'change_done': {
      const note = event.note && say`  (${prose(event.note)})`;
      return `${style.good(`${SIGNS[event.action]} ${DONE[event.action]}`)}  ${nameOf(event)}${note ?? ''}`;
    }
    case 'change_failed':
      return `${style.bad(`! ${event.action} ${outcomeText(event)}`)}  ${nameOf(event)}`;
    case 'earlier_run':
      return prose(event.message);
    case 'stopping':
      return `${style.warn('Stopping')}: ${prose(event.reason)}`;
    case 'canary_started':
      return say`Canary: ${count(event.changes, 'change')}.`;
    case 'canary_verified': {
      const failed = event.failed > 0 && say`, ${count(event.failed, 'change')} failed`;
      return style.good('Canary verified') + say`: ${count(event.done, 'change')}${failed}.`;
    }
    case 'verify_started':
      return say`Verifying …`;
    case 'verify_waiting': {
      const again = duration(event.milliseconds / 1000);
      return say`${count(event.open, 'change')} not visible yet, reading again in ${again}.`;
    }
    case 'change_started':
    case 'run_ended':
      return undefined;
  }
}

function nameOf({ domain, id }: Subject): Text {
  return id === undefined ? safeDomain(domain) : say`${safeDomain(domain)}  ${safeId(id)}`;
}

/** In milliseconds. Shorter waits are normal. */
const MIN_WAIT_SHOWN_MS = 100;

export function requestLine(request: RequestFacts): string {
  const { at, method, url, ms, status, reason, attempt, waitedMs, pace } = request;
  const { pathname, search } = new URL(url);
  const asked = pace.waitMs === undefined ? say`slow down` : say`wait ${duration(pace.waitMs / 1000)}`;
  const answer = `${status ?? 'no response'} ${Math.round(ms)} ms`;
  const parts = [
    prose(`${new Date(at).toISOString()} ${method} ${pathname}${search} ${answer}`),
    attempt > 1 && say`attempt ${attempt}`,
    waitedMs >= MIN_WAIT_SHOWN_MS && say`waited ${duration(waitedMs / 1000)} for its turn`,
    pace.throttled && say`asked to ${asked}`,
    status === undefined && reason !== undefined && prose(reason),
  ];
  return `${joinTexts(parts)}\n`;
}

export interface ProgressFacts {
  readonly kind: ReadProgress['what'] | Action;
  readonly done: number;
  readonly failed: number;
  /** Expected sum of `done` and `failed`, if known. */
  readonly total: number | undefined;
  readonly rate: number | undefined;
  readonly left: number | undefined;
  /** Seconds until the next request, if the service asked to slow down. */
  readonly heldFor: number | undefined;
}

const LABELS = {
  list: 'Listing',
  find: 'Looking up',
  read: 'Reading',
  create: 'Creating',
  update: 'Updating',
  delete: 'Deleting',
} as const satisfies Record<ProgressFacts['kind'], string>;

export function progressLine(facts: ProgressFacts): string {
  return `${LABELS[facts.kind]}: ${joinTexts(partsOf(facts))}.\n`;
}

const BAR = 20;

/** Returns one line of up to `width` columns. A narrow one has no bar, and is cut after the most important parts. */
export function progressBar(facts: ProgressFacts, width: number): string {
  const { done, failed, total } = facts;
  const label = LABELS[facts.kind];
  const parts = partsOf(facts).join('  ');
  const full = Math.round(BAR * Math.min(1, (done + failed) / Math.max(1, total ?? 1)));
  const line = `${label}  [${'='.repeat(full)}${'-'.repeat(BAR - full)}]  ${parts}`;
  return total !== undefined && line.length <= width ? line : `${label}  ${parts}`.slice(0, width);
}

/** Returns the parts, the most important first. */
function partsOf({ done, failed, total, rate, left, heldFor }: ProgressFacts): Text[] {
  const parts = [
    total === undefined ? count(done, 'record') : say`${done + failed}/${total}`,
    failed > 0 && say`${failed} failed`,
    heldFor !== undefined && say`rate limited, resuming in ${duration(heldFor)}`,
    left !== undefined && say`${duration(left)} left`,
    rate !== undefined && say`${prose(rate.toFixed(rate < 9.95 ? 1 : 0))}/s`,
  ];
  return parts.filter((part) => part !== false);
}

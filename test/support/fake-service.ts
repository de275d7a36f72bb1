/** A service in memory behind the interface that the model declares, with faults as a script says. */

import { domainKey, wwwVariant } from '../../src/model/domain.ts';
import type { FieldName, Settings } from '../../src/model/field-table.ts';
import type { Value } from '../../src/model/field-types.ts';
import { Secret } from '../../src/model/secret.ts';
import {
  type Outcome,
  type Permit,
  ServiceError,
  type WebsiteService,
  type WriteValues,
} from '../../src/model/service.ts';
import type { Website } from '../../src/model/website.ts';
import type { Clock } from '../../src/util/clock.ts';

export type Operation = 'list' | 'find' | 'read' | 'create' | 'update' | 'remove';

export interface FakeCall {
  readonly operation: Operation;
  /** The domain, or the id of a record that is read. */
  readonly subject: string;
  /** How often this operation was called for this subject before. */
  readonly nth: number;
  /** Calls of any kind before. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly values?: WriteValues;
}

export type FakeFault =
  /** Refused for sure: 422 unless said otherwise. */
  | { readonly kind: 'refuse'; readonly status?: number; readonly fields?: Record<string, string[]> }
  /** It fails, whatever becomes of it. */
  | {
      readonly kind: 'fail';
      readonly outcome: Outcome;
      readonly carriedOut: CarriedOut;
      readonly status?: number;
      /** How long the error takes to come, in milliseconds. */
      readonly takesMs?: number;
    }
  | { readonly kind: 'key' }
  /** It ends as one that waited when the run was interrupted: nothing was sent. */
  | { readonly kind: 'interrupted' }
  /** Whoever asks is killed: this call, those under way and any later one end in `Killed`, answered to nobody. */
  | { readonly kind: 'dead'; readonly carriedOut: CarriedOut };

/** When a call that fails is carried out all the same; counted from its coming. */
export type CarriedOut = 'before' | 'never' | { readonly afterMs: number };

/** What ends a run in the place of a process that is killed: no part of it expects this. */
export class Killed extends Error {}

export type Script = (call: FakeCall) => FakeFault | undefined;

export interface FakeOptions {
  readonly clock: Clock;
  readonly script?: Script;
  readonly www?: 'strip' | 'keep';
  /** Whether a second record for a domain is refused. */
  readonly unique?: boolean;
  /** How long lists and look-ups show what was before, in milliseconds. */
  readonly lagMs?: number;
  readonly latencyMs?: number;
  /** What an update does with settings that it omits; `resets` are those that it sets to what a new record has. */
  readonly put?: 'merge' | 'replace' | { readonly resets: readonly FieldName[] };
  /** What answers to updates show: the record, nothing of it, or what it was before. */
  readonly putAnswer?: 'record' | 'nothing' | 'old';
  readonly hiddenInList?: readonly FieldName[];
  readonly hiddenInRead?: readonly FieldName[];
  /** Whether fields that hold nothing are left out of records, or of those alone that are read by themselves. */
  readonly leavesEmptyOut?: boolean | 'where read';
  /** Fields that writes leave as they are. */
  readonly deaf?: readonly FieldName[];
  /** What a new record begins with, over the usual. */
  readonly fresh?: Settings;
  readonly complete?: boolean;
  readonly proven?: boolean;
}

export interface Stored extends Website {
  readonly password?: string | undefined;
}

export interface FakeService extends WebsiteService {
  /** The same service as the next process reaches it, once the one before is dead. */
  reconnect(): WebsiteService;
  readonly calls: readonly FakeCall[];
  script: Script | undefined;
  records(): readonly Stored[];
  /** Puts a record in, or changes or takes one out, as another client would. */
  insert(domain: string, settings?: Settings, password?: string): Stored;
  edit(id: string, settings: Settings): void;
  drop(id: string): void;
}

const FRESH: Settings = {
  privacy: 1,
  email: false,
  exclude_bots: true,
  exclude_params: [],
  exclude_ips: [],
  favorited_at: null,
};

export function createFakeService(options: FakeOptions): FakeService {
  const { clock, www = 'strip', unique = true, lagMs = 0, latencyMs = 0 } = options;
  const records = new Map<string, Stored>();
  const shown = new Map<string, { at: number; record: Stored | undefined }[]>();
  const calls: FakeCall[] = [];
  const counts = new Map<string, number>();
  const listed = new Set<FieldName>();
  const read = new Set<FieldName>();
  const readEmpty = new Set<FieldName>();
  let lastId = 0;

  function put(id: string, record: Stored | undefined): void {
    if (record === undefined) records.delete(id);
    else records.set(id, record);
    const versions = shown.get(id) ?? [];
    shown.set(id, [...versions, { at: clock.monotonic() + lagMs, record }]);
  }

  /** What lists and look-ups show by now. */
  function view(): Website[] {
    return [...shown.values()].flatMap((versions) => {
      const record = versions.findLast(({ at }) => at <= clock.monotonic())?.record;
      return record === undefined ? [] : [show(record, options.hiddenInList, listed)];
    });
  }

  function show(record: Stored, hidden: readonly FieldName[] = [], seen: Set<FieldName>): Website {
    const { id, domain, password } = record;
    const { leavesEmptyOut = false } = options;
    const leavesOut = leavesEmptyOut === true || (leavesEmptyOut === 'where read' && seen === read);
    const isEmpty = (value: Value): boolean => value === null || (Array.isArray(value) && value.length === 0);
    const entries = Object.entries(record.settings).filter(
      ([name, value]) => !hidden.includes(name as FieldName) && !(leavesOut && isEmpty(value)),
    );
    for (const [name, value] of entries) {
      seen.add(name as FieldName);
      if (seen === read && isEmpty(value)) readEmpty.add(name as FieldName);
    }
    return { id, domain, settings: Object.fromEntries(entries), passwordSet: password !== undefined };
  }

  function insert(domain: string, settings: Settings = {}, password?: string): Stored {
    lastId += 1;
    const record = {
      id: String(lastId),
      domain,
      settings: { ...FRESH, ...options.fresh, ...settings },
      password,
    };
    put(record.id, record);
    return record;
  }

  function write(base: Stored, values: WriteValues): Stored {
    const settings: { [Name in FieldName]?: Value } = { ...base.settings };
    let { password } = base;
    for (const [key, value] of Object.entries(values)) {
      const name = key as FieldName;
      if (options.deaf?.includes(name)) continue;
      if (value instanceof Secret) password = value.reveal();
      else if (name === 'password') password = undefined;
      else settings[name] = value;
    }
    return { ...base, settings, password };
  }

  function doCreate(domain: string, values: WriteValues): Website {
    const written = www === 'strip' ? domain.replace(/^www\./, '') : domain;
    if (unique && [...records.values()].some((record) => record.domain === written)) {
      throw failure('create', domain, 'refused', 422, 'record', clock.monotonic(), {
        domain: ['This domain is already being used.'],
      });
    }
    const { id } = insert(written);
    const record = write(records.get(id) as Stored, values);
    put(id, record);
    return show(record, [], new Set());
  }

  /** What is left of a record under the values of an update. */
  function baseOf(record: Stored): Stored {
    const { put: rule = 'merge' } = options;
    if (rule === 'merge') return record;
    const fresh = { ...FRESH, ...options.fresh };
    if (rule === 'replace') return { ...record, settings: fresh, password: undefined };
    const reset = Object.fromEntries(rule.resets.map((name) => [name, fresh[name]]));
    const password = rule.resets.includes('password') ? undefined : record.password;
    return { ...record, settings: { ...record.settings, ...reset }, password };
  }

  function doUpdate(id: string, values: WriteValues): Website | 'vanished' {
    const record = records.get(id);
    if (record === undefined) return 'vanished';
    const updated = write(baseOf(record), values);
    put(id, updated);
    const { putAnswer = 'record' } = options;
    if (putAnswer === 'nothing') return { id, domain: record.domain, settings: {} };
    return show(putAnswer === 'old' ? record : updated, [], new Set());
  }

  async function call<T>(
    line: Line,
    operation: Operation,
    subject: string,
    act: () => T,
    { values, permit }: { readonly values?: WriteValues; readonly permit?: Permit | undefined } = {},
  ): Promise<T> {
    await permit?.();
    const sentAt = clock.monotonic();
    const key = `${operation} ${subject}`;
    const nth = counts.get(key) ?? 0;
    counts.set(key, nth + 1);
    const made: FakeCall = {
      operation,
      subject,
      nth,
      number: calls.length,
      at: sentAt,
      ...(values === undefined ? {} : { values }),
    };
    if (line.isDead) throw new Killed();
    calls.push(made);
    if (latencyMs > 0) await clock.sleep(latencyMs);
    const fault = service.script?.(made);
    const result = fault === undefined ? act() : await strike(line, fault, operation, subject, act, sentAt);
    if (line.isDead) throw new Killed();
    return result;
  }

  async function strike<T>(
    line: Line,
    fault: FakeFault,
    operation: Operation,
    subject: string,
    act: () => T,
    sentAt: number,
  ): Promise<T> {
    switch (fault.kind) {
      case 'refuse':
        throw failure(operation, subject, 'refused', fault.status ?? 422, undefined, sentAt, fault.fields);
      case 'key':
        throw new ServiceError('key-refused', 'The key was refused.', {
          outcome: 'refused',
          blame: 'service',
          attempts: 1,
          status: 401,
        });
      case 'interrupted':
        throw new ServiceError('interrupted', 'It was interrupted.', {
          outcome: 'refused',
          blame: 'service',
          attempts: 1,
        });
      case 'dead':
        line.isDead = true;
        carryOut(act, fault.carriedOut);
        throw new Killed();
      case 'fail':
        carryOut(act, fault.carriedOut);
        await clock.sleep(fault.takesMs ?? 0);
        throw failure(operation, subject, fault.outcome, fault.status, 'service', sentAt);
    }
  }

  /** Nobody hears whether a call that is carried out later meets with a refusal. */
  function carryOut(act: () => unknown, when: CarriedOut): void {
    if (when === 'before') act();
    else if (when !== 'never') {
      void clock.sleep(when.afterMs).then(() => {
        try {
          act();
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
        }
      });
    }
  }

  function connect(): WebsiteService {
    const line: Line = { isDead: false };
    return {
      traits: { wireNames: {}, listed, read, readEmpty, sent: new Set() },
      list() {
        const readAt = clock.now();
        const complete = options.complete ?? true;
        return call(line, 'list', '', () => ({ websites: view(), complete, reason: 'a fake', readAt }));
      },
      find: (domain) =>
        call(line, 'find', domain, () => {
          const isMeant = (text: string): boolean => [domain, wwwVariant(domain)].includes(domainKey(text));
          return { websites: view().filter((w) => isMeant(w.domain)), proven: options.proven ?? true };
        }),
      read: (id) =>
        call(line, 'read', id, () => {
          const record = records.get(id);
          return record && show(record, options.hiddenInRead, read);
        }),
      create: (domain, values, permit) =>
        call(line, 'create', domain, () => doCreate(domain, values), { values, permit }),
      update: (id, domain, values, permit) =>
        call(line, 'update', domain, () => doUpdate(id, values), { values, permit }),
      remove: (id, domain, permit) => call(line, 'remove', domain, () => put(id, undefined), { permit }),
    };
  }

  const service: FakeService = {
    ...connect(),
    reconnect: connect,
    calls,
    script: options.script,
    records: () => [...records.values()],
    insert,
    edit(id, settings) {
      const record = records.get(id) as Stored;
      put(id, { ...record, settings: { ...record.settings, ...settings } });
    },
    drop: (id) => put(id, undefined),
  };
  return service;
}

/** The writes that a service was asked for, in their order. */
export function writes({ calls }: FakeService): string[] {
  return calls
    .filter(({ operation }) => ['create', 'update', 'remove'].includes(operation))
    .map(({ operation, subject }) => `${operation} ${subject}`);
}

/** How one process reaches the service. */
interface Line {
  isDead: boolean;
}

function failure(
  operation: Operation,
  subject: string,
  outcome: Outcome,
  status: number | undefined,
  blame: 'record' | 'service' = status === 422 || status === 404 ? 'record' : 'service',
  sentAt = 0,
  fields: Record<string, string[]> = {},
): ServiceError {
  const code = outcome === 'refused' && status !== undefined ? 'service-refused' : 'service-failed';
  return new ServiceError(code, `Cannot ${operation} ${subject}: ${status ?? 'no answer'}.`, {
    outcome,
    blame,
    attempts: 1,
    sentAt,
    fields,
    ...(status === undefined ? {} : { status }),
  });
}

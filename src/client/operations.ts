/** One operation of the interface, ready to be sent (specification, section 4). */
import { WEBSITES_PATH } from '../model/contract.ts';
import type { Permit, WriteValues } from '../model/service.ts';
import { recordPath } from './contract.ts';

export type Operation = 'list' | 'find' | 'read' | 'create' | 'update' | 'delete';

export interface Call {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base address, with its query. */
  readonly path: string;
  /** What it is about, for messages: a domain, or the id of a record. */
  readonly subject?: string;
  readonly form?: string;
  /** What the form says; no error may tell the secrets in it. */
  readonly values?: WriteValues;
  /** What else no error may tell. */
  readonly secrets?: readonly string[];
  /** Of a write. */
  readonly permit?: Permit | undefined;
}

export function listCall(path: string): Call {
  return { operation: 'list', method: 'GET', path };
}

export function findCall(domain: string, path: string): Call {
  return { operation: 'find', method: 'GET', path, subject: domain };
}

export function readCall(id: string): Call {
  return { operation: 'read', method: 'GET', path: recordPath(id), subject: `record #${id}` };
}

/** `form` is what `values` are encoded as. */
export function createCall(
  domain: string,
  values: WriteValues,
  form: string,
  permit: Permit | undefined,
): Call {
  return { operation: 'create', method: 'POST', path: WEBSITES_PATH, subject: domain, form, values, permit };
}

/** As createCall, for the record `id`, which is named by its domain. */
export function updateCall(
  id: string,
  domain: string,
  values: WriteValues,
  form: string,
  permit: Permit | undefined,
): Call {
  return { operation: 'update', method: 'PUT', path: recordPath(id), subject: domain, form, values, permit };
}

export function deleteCall(id: string, domain: string, permit: Permit | undefined): Call {
  return { operation: 'delete', method: 'DELETE', path: recordPath(id), subject: domain, permit };
}

/** Exported records as JSON: one array, or one record a line. */
import { FIELD_NAMES } from '../../core/fields.ts';
import { isEmpty } from '../../core/kinds.ts';
import { formatSecretRef, isSecretRef } from '../../core/secret.ts';
import { jsonLine } from '../json.ts';
import type { Exported, ExportedWebsite } from './export.ts';
import { writtenOf } from './values.ts';

/** A record a line. */
export function* ndjsonExport({ websites }: Exported): Generator<string> {
  for (const website of websites) yield jsonLine(plainRecord(website));
}

/** An array with a record a line. */
export function* jsonExport(exported: Exported): Generator<string> {
  let before = '[\n';
  for (const line of ndjsonExport(exported)) {
    yield before + line.trimEnd();
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** A secret reference is a text here, `env:NAME` (design, Settled H). */
function plainRecord({ domain, settings }: ExportedWebsite): Record<string, unknown> {
  const entries = FIELD_NAMES.flatMap((name) => {
    const value = settings[name];
    if (value === undefined || isEmpty(value)) return [];
    const [key, written] = writtenOf(name, value);
    return [[key, isSecretRef(written) ? formatSecretRef(written) : written]];
  });
  return { domain, ...Object.fromEntries(entries) };
}

/** Exported records as JSON: one array, or one record a line. */
import { formatSecretRef, isSecretRef } from '../../model/secret.ts';
import { jsonLine } from '../json.ts';
import type { Exported, ExportedWebsite } from './export.ts';
import { entriesOf } from './values.ts';

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

/** A secret reference is a text here, `env:NAME`. */
function plainRecord({ domain, settings }: ExportedWebsite): Record<string, unknown> {
  const entries = entriesOf(settings).map(([key, written]) => [
    key,
    isSecretRef(written) ? formatSecretRef(written) : written,
  ]);
  return { domain, ...Object.fromEntries(entries) };
}

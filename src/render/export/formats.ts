/** The formats of an export by name. */
import { shownLine } from '../sanitize.ts';
import { csvExport, csvLimits } from './csv.ts';
import type { Exported, ExportLimits } from './export.ts';
import { jsonExport, ndjsonExport } from './json.ts';
import { type YamlHead, yamlExport } from './yaml.ts';

export interface ExportFormat {
  /** The whole text in pieces, so that it need never be held. */
  readonly pieces: (exported: Exported, head: YamlHead) => Iterable<string>;
  /** A piece as it may be shown; one is never split, and most are harmless anyway. */
  readonly shown?: (piece: string) => string;
  /** What it cannot hold, beyond what no file can. */
  readonly limits?: ExportLimits;
  /** Whether it holds patterns under `ignore`. */
  readonly hasIgnore: boolean;
}

export const EXPORT_FORMATS: Readonly<Record<'yaml' | 'csv' | 'json' | 'ndjson', ExportFormat>> = {
  yaml: { pieces: yamlExport, hasIgnore: true },
  csv: { pieces: csvExport, shown: shownLine, limits: csvLimits, hasIgnore: false },
  json: { pieces: jsonExport, hasIgnore: false },
  ndjson: { pieces: ndjsonExport, hasIgnore: false },
};

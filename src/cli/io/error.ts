import { EXIT, type ExitCode, WebsitesError } from '../../model/errors.ts';
import { errorDocument, errorRow } from '../../report/errors.ts';
import { eventStreamOpening } from '../../report/events.ts';
import { jsonDocument, jsonLine } from '../../report/json.ts';
import type { Io } from './io.ts';
import { showDocument } from './output.ts';

export interface Dress {
  readonly format: string | undefined;
  readonly hasPrinted?: boolean;
}

export function showError(error: unknown, dress: Dress, io: Io): ExitCode {
  if (dress.format === 'json' && !dress.hasPrinted) io.out(jsonDocument(errorRow(error)));
  if (dress.format === 'ndjson') {
    const line = jsonLine({ type: 'diagnostic', severity: 'error', ...errorRow(error) });
    io.out((dress.hasPrinted ? '' : eventStreamOpening()) + line);
  }
  showDocument(errorDocument(error), io);
  return error instanceof WebsitesError ? error.exit : EXIT.error;
}

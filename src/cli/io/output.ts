import type { Problem } from '../../model/errors.ts';
import { WebsitesError } from '../../model/errors.ts';
import type { Document } from '../../report/document.ts';
import { warningsDocument } from '../../report/errors.ts';
import { terminalText } from '../../report/media/terminal.ts';
import type { RenderOptions } from '../../report/text.ts';
import { type Io, wantsColor } from './io.ts';

function optionsFor(io: Io, isTerminal: boolean, width = io.width): RenderOptions {
  return { color: wantsColor(io, isTerminal), width: io.width, fold: isTerminal ? width : undefined };
}

export const outOptions = (io: Io): RenderOptions => optionsFor(io, io.outIsTerminal);
export const errOptions = (io: Io): RenderOptions => optionsFor(io, io.errIsTerminal, io.barColumns);

export function showDocument(document: Document, io: Io): void {
  io.err(terminalText(document, errOptions(io)));
}

export function showWarnings(warnings: readonly Problem[], io: Io): void {
  if (warnings.length > 0) showDocument(warningsDocument(warnings), io);
}

/** Returns the error for patterns that match no file, if no guard and no warning reports them. */
export function nothingRead(unmatched: readonly string[]): WebsitesError {
  return new WebsitesError('config-missing', `No YAML file in ${unmatched.join(', ')}.`, {
    remedy: 'Check the patterns after -f.',
  });
}

export function print(pieces: Iterable<string>, io: Io): void {
  for (const text of inBatches(pieces)) io.out(text);
}

const BATCH = 65_536;

export function* inBatches(pieces: Iterable<string>): Generator<string> {
  let batch = '';
  for (const piece of pieces) {
    batch += piece;
    if (batch.length < BATCH) continue;
    yield batch;
    batch = '';
  }
  if (batch !== '') yield batch;
}

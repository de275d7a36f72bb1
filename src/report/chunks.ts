const BATCH = 65_536;

/** The same text in fewer pieces, of about 64 KiB. */
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

/**
 * `.websites/service.json`: what runs have learned of the services that they wrote to, so that the next one need not
 * learn it again. Entries are sealed, and believed for 30 days.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { unlessUnfit } from '../config/files/disk.ts';
import { formatInstant } from '../model/instant.ts';
import { type Knowledge, NOTHING_KNOWN } from '../update/knowledge.ts';
import { parseJson } from '../util/json.ts';
import { readRegularFile } from '../util/node/read-file.ts';
import type { Connection } from './connect.ts';
import { dotFolder } from './state.ts';
import { writeWhole } from './write-atomic.ts';

const FORMAT = 'websites.service/1';
const BELIEVED_MS = 30 * 24 * 3_600_000;

const texts = z.array(z.string());
const ENTRY = z.object({
  service: z.string(),
  at: z.string(),
  stays: texts,
  reset: texts,
  seal: z.string(),
});
const FILE = z.object({ format: z.literal(FORMAT), services: z.array(ENTRY) });

type Entry = z.infer<typeof ENTRY>;
type Service = Pick<Connection, 'identity' | 'seals' | 'clock'>;

/** The knowledge of earlier runs about this service; none without a file of ours. */
export async function readKnowledge(root: string, { identity, seals, clock }: Service): Promise<Knowledge> {
  const entry = (await readEntries(root)).find(({ service }) => service === identity);
  if (entry === undefined || !seals.fits('service', sealedText(entry), entry.seal)) return NOTHING_KNOWN;
  const age = clock.now() - Date.parse(entry.at);
  if (!(age >= 0 && age <= BELIEVED_MS)) return NOTHING_KNOWN;
  return { stays: new Set(entry.stays), reset: new Set(entry.reset) };
}

/** Keeps what a run knows by now. Throws `file-failed`. */
export async function writeKnowledge(
  root: string,
  { identity, seals, clock }: Service,
  { stays, reset }: Knowledge,
): Promise<void> {
  const others = (await readEntries(root)).filter(({ service }) => service !== identity);
  const own = { service: identity, at: formatInstant(clock.now()), stays: [...stays], reset: [...reset] };
  const seal = seals.of('service', sealedText(own));
  const file = { format: FORMAT, services: [...others, { ...own, seal }] };
  const folder = dotFolder(root);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
  await writeWhole(join(folder, FILE_NAME), [`${JSON.stringify(file, null, 2)}\n`], root);
}

const FILE_NAME = 'service.json';
/** Some thousand services, in bytes. */
const LARGEST = 2_000_000;

function sealedText({ service, at, stays, reset }: Omit<Entry, 'seal'>): string {
  return JSON.stringify([service, at, stays, reset]);
}

async function readEntries(root: string): Promise<readonly Entry[]> {
  const path = join(dotFolder(root), FILE_NAME);
  const bytes = await readRegularFile(path, LARGEST).catch(unlessUnfit(path));
  const file = FILE.safeParse(parseJson(bytes?.toString() ?? ''));
  return file.success ? file.data.services : [];
}

/** Whether one knows something that the other does not. */
export function isOther(a: Knowledge, b: Knowledge): boolean {
  const text = ({ stays, reset }: Knowledge): string =>
    JSON.stringify([[...stays].sort(), [...reset].sort()]);
  return text(a) !== text(b);
}

/**
 * `.websites/commits/`: for each loop of `reconcile --git`, the commit of its last unrestricted pass that verified, and what
 * became since of the records that were removed. One file for each service, target and set of files, so that loops
 * do not overwrite each other; sealed (decision: "Plans and journals are sealed").
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { unlessUnfit } from '../config/files/disk.ts';
import { parseJson } from '../util/json.ts';
import { readRegularFile } from '../util/node/read-file.ts';
import { sha256 } from '../util/node/sha256.ts';
import type { Connection } from './connect.ts';
import { dotFolder } from './state.ts';
import { writeWhole } from './write-atomic.ts';

const FORMAT = 'websites.commit/1';
const texts = z.record(z.string(), z.string());
const FILE = z.object({
  format: z.literal(FORMAT),
  commit: z.string(),
  pruned: texts,
  moved: z.record(z.string(), z.object({ commit: z.string(), id: z.string() })),
  seal: z.string(),
});

/** Which loop it is. */
export interface LoopKey {
  readonly target: string | undefined;
  /** The files and patterns that were named, as they count from the root. */
  readonly files: readonly string[];
}

export interface KeptCommit {
  readonly commit: string;
  /** Domains that were pruned since, with the ID of the record, or `GONE` where none of then is left. */
  readonly pruned: ReadonlyMap<string, string>;
  /** Removed domains that a tracked file still named: the commit that declared them, and their record. */
  readonly moved: ReadonlyMap<string, { readonly commit: string; readonly id: string }>;
}

type Service = Pick<Connection, 'identity' | 'seals'>;

/** Some hundred thousand domains, in bytes. */
const LARGEST = 50_000_000;

export function commitPath(root: string, key: LoopKey, { identity }: Pick<Service, 'identity'>): string {
  return join(dotFolder(root), 'commits', `${sha256(keyText(key, identity)).slice(0, 16)}.json`);
}

function keyText({ target, files }: LoopKey, identity: string): string {
  return JSON.stringify([identity, target ?? null, files]);
}

function sealedText(key: LoopKey, { identity }: Service, { commit, pruned, moved }: KeptCommit): string {
  return JSON.stringify([keyText(key, identity), commit, [...pruned], [...moved]]);
}

/** `undefined` where there is none, or none that was written with this API key for this loop. */
export async function readCommit(
  root: string,
  key: LoopKey,
  service: Service,
): Promise<KeptCommit | undefined> {
  const path = commitPath(root, key, service);
  const bytes = await readRegularFile(path, LARGEST).catch(unlessUnfit(path));
  const { success, data } = FILE.safeParse(parseJson(bytes?.toString() ?? ''));
  if (!success) return undefined;
  const kept = {
    commit: data.commit,
    pruned: new Map(Object.entries(data.pruned)),
    moved: new Map(Object.entries(data.moved)),
  };
  return service.seals.fits('commit', sealedText(key, service, kept), data.seal) ? kept : undefined;
}

/** Throws `file-failed`. */
export async function writeCommit(
  root: string,
  key: LoopKey,
  service: Service,
  kept: KeptCommit,
): Promise<void> {
  const path = commitPath(root, key, service);
  const file = {
    format: FORMAT,
    commit: kept.commit,
    pruned: Object.fromEntries(kept.pruned),
    moved: Object.fromEntries(kept.moved),
  };
  // In the order in which it is read again.
  const inOrder = {
    ...kept,
    pruned: new Map(Object.entries(file.pruned)),
    moved: new Map(Object.entries(file.moved)),
  };
  const seal = service.seals.of('commit', sealedText(key, service, inOrder));
  await mkdir(join(dotFolder(root), 'commits'), { recursive: true, mode: 0o700 }).catch(() => undefined);
  await writeWhole(path, [`${JSON.stringify({ ...file, seal }, null, 2)}\n`], root);
}

/** A plan on the disk. */
import { rename, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { WebsitesError } from '../core/errors.ts';
import type { Plan } from '../core/plan.ts';
import { planJson } from '../render/plan-json.ts';
import type { Io } from './io.ts';

/** Writes the plan so that the file is there whole or not at all. Throws `file-failed`. */
export async function writePlan(file: string, plan: Plan, io: Io): Promise<void> {
  const path = resolve(io.cwd, file);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(draft, planJson(plan), { mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    throw new WebsitesError(
      'file-failed',
      `The plan cannot be written to ${file}: ${(error as Error).message}.`,
      {
        remedy: 'Name a file in a folder that exists and can be written to.',
        cause: error,
      },
    );
  }
}

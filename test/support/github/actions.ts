/** Simulates the public actions of our workflows by their effect on folders. */
import { cpSync, existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { git } from '../scratch-repo.ts';
import type { Machine, Repository, Values } from './machine.ts';

/** Returns the reason of a failure. */
type Simulated = (given: Values, machine: Machine) => string | undefined;

export const SIMULATED: Readonly<Record<string, Simulated>> = {
  'actions/setup-node': () => undefined,

  'actions/checkout'({ ref, path }, { workspace, repository, occasion }) {
    const target = join(workspace, path ?? '');
    git(repository.source, 'worktree', 'add', '--quiet', '--detach', target, ref || occasion.sha);
    return undefined;
  },

  'actions/upload-artifact'(given, { workspace, repository, occasion }) {
    const source = resolve(workspace, given.path ?? '');
    if (!given.path || !existsSync(source))
      return given['if-no-files-found'] === 'error' ? 'no files were found' : undefined;
    const target = artifact(repository, occasion.run, given.name);
    const file = statSync(source).isDirectory() ? target : join(target, basename(source));
    cpSync(source, file, { recursive: true });
    return undefined;
  },

  'actions/download-artifact'(given, { workspace, repository, occasion }) {
    const source = artifact(repository, Number(given['run-id'] || occasion.run), given.name);
    if (!existsSync(source)) return `there is no artifact ${given.name}`;
    cpSync(source, join(workspace, given.path ?? ''), { recursive: true });
    return undefined;
  },
};

/** The path of an artifact of a run. */
export function artifact({ folder }: Repository, run: number, name = 'artifact'): string {
  return join(folder, 'artifacts', String(run), name);
}

/** The sentences about a plan, the same on every surface. */
import type { Plan } from '../../model/plan.ts';
import { safe } from '../sanitize.ts';
import { count, some } from '../text.ts';

/** What is to be done, by number. */
export function planCounts({ create, update, delete: deletes }: Plan['summary']): string {
  return `${create} to create, ${update} to update, ${deletes} to delete`;
}

export function asTheFilesSay(unchanged: number | null): string {
  if (unchanged === null) return 'What was looked up matches the configuration';
  if (unchanged === 0) return 'No websites matched';
  return `${count(unchanged, 'website')} ${unchanged === 1 ? 'matches' : 'match'} the configuration`;
}

/** How much was read, where that is not everything. */
export function readText({ read, options }: Plan): string | undefined {
  if (read.kind === 'list') return undefined;
  const text = `Looked up ${count(read.domains, 'domain')}; the other records were not read.`;
  const { only, since } = options;
  if (only !== 'config' || since === undefined) return text;
  return `${text} Changes in commits before ${safe(since)} are not covered.`;
}

/** The files that a plan comes from, or the run that it takes back. */
export function planSource({ config, options }: Plan): string {
  if (options.undoes !== undefined) return `undo of run ${options.undoes}`;
  return some(config.files, ({ path }) => path, 3);
}

/** How many orphans stay, and why. */
export function orphansKept(plan: Plan): string {
  return `${count(plan.summary.orphan ?? 0, 'orphan')} kept (${whyKept(plan)})`;
}

export function whyKept({ options, complete }: Plan): string {
  if (options.prune === false) return 'no --prune';
  if (options.prune === 'removed') return 'not removed from these files';
  return complete ? 'protected' : 'the list may be incomplete';
}

/** The flags that narrow a plan, as they were given. */
export function selectionFlags({ only, domain, exclude, group = [] }: Plan['options']): string[] {
  return [
    ...(only === undefined ? [] : [`--only ${only}`]),
    ...domain.map((pattern) => `--domain ${safe(pattern)}`),
    ...exclude.map((pattern) => `--exclude ${safe(pattern)}`),
    ...group.map((name) => `--group ${safe(name)}`),
  ];
}

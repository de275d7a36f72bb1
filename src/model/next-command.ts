/** Commands that are printed as the next to run: they must be about the same files, service and target. */
import { switchOf } from '../util/yes-or-no.ts';

/** The flags of this command line that the next one repeats, with a space before each. */
export interface Where {
  /** By which it was told which files there are. */
  readonly files: string;
  /** By which it was told where the service is, and its key. */
  readonly service: string;
  /** By which it was told what may be changed; what is saved, or journaled, has that itself. */
  readonly selection: string;
}

/** Where there is no command line, or where it says nothing of that. */
export const NOT_SAID: Where = { files: '', service: '', selection: '' };

interface Scope {
  readonly service: { readonly target?: string | undefined };
}

/** What carries out the plan that was saved to `file`, as a shell takes that; the plan knows the rest. */
export function applyCommand(file: string, where: Where): string {
  return `websites apply ${file}${where.service}`;
}

export function runsCommand({ service }: Scope, where: Where): string {
  return `websites runs${where.files}${targetFlag(service)}`;
}

/** The flags of a next command that is about the same, with a space before each. */
export function scopeFlags({ service }: Scope, where: Where): string {
  return `${where.files}${where.service}${targetFlag(service)}`;
}

function targetFlag({ target }: Scope['service']): string {
  return target === undefined ? '' : ` --target ${target}`;
}

/** Those of a command line, of which `given` is what it holds; variables hold for the next command, too. */
export function whereOf(given: Readonly<Record<string, unknown>>): Where {
  const flag = (name: string, written = `--${name}`): string =>
    [given[name] ?? []]
      .flat()
      .map((value) => ` ${written} ${shellWord(String(value))}`)
      .join('');
  return {
    files: flag('file', '-f'),
    service: flag('base-url') + flag('api-key-file'),
    selection:
      ['domain', 'exclude', 'group', 'since', 'only'].map((name) => flag(name)).join('') + prune(given),
  };
}

function prune({ prune }: Readonly<Record<string, unknown>>): string {
  if (prune === undefined) return '';
  const word = String(prune);
  return word === 'removed' ? ' --prune=removed' : switchOf(word) ? ' --prune' : ' --no-prune';
}

/** A path, or what else may not begin with a dash, as a POSIX shell takes it for one word, and no command for a flag. */
export function shellWord(text: string): string {
  const word = /^-./.test(text) ? `./${text}` : text;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word);
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

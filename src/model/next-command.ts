/** Builds commands that are printed as the next step. They repeat the flags that select files and service. */
import { switchOf } from '../util/yes-or-no.ts';

/** Flags of this command line that the next command must repeat, each with a leading space. */
export interface NextFlags {
  readonly files: string;
  readonly service: string;
  /** Flags that limit the changes. Saved plans and run files contain these themselves. */
  readonly selection: string;
}

export const NO_NEXT_FLAGS: NextFlags = { files: '', service: '', selection: '' };

interface OnService {
  readonly target?: string | undefined;
}

/** Needs no other flags, because the plan contains them. `file` must already be quoted for a shell. */
export function applyCommand(file: string, nextFlags: NextFlags): string {
  return `websites apply ${file}${nextFlags.service}`;
}

export function runsCommand(service: OnService, { files }: NextFlags): string {
  return `websites runs${scopeFlags(service, { files, service: '' })}`;
}

export function scopeFlags({ target }: OnService, { files, service }: Omit<NextFlags, 'selection'>): string {
  return `${files}${service}${target === undefined ? '' : ` --target ${target}`}`;
}

/** Reads only flags, because environment variables also apply to the next command. */
export function nextFlagsOf(given: Readonly<Record<string, unknown>>): NextFlags {
  const flag = (name: string, written = `--${name}`): string =>
    [given[name] ?? []]
      .flat()
      .map((value) => ` ${written} ${shellWord(String(value))}`)
      .join('');
  return {
    files: flag('file', '-f'),
    service: flag('baseUrl', '--base-url') + flag('apiKeyFile', '--api-key-file'),
    selection:
      ['domain', 'exclude', 'group', 'since', 'only'].map((name) => flag(name)).join('') + prune(given),
  };
}

function prune({ prune }: Readonly<Record<string, unknown>>): string {
  if (prune === undefined) return '';
  const word = String(prune);
  return word === 'removed' ? ' --prune=removed' : switchOf(word) ? ' --prune' : ' --no-prune';
}

/** Quotes `text` as one word for a POSIX shell, in a form that is not taken for a flag. */
export function shellWord(text: string): string {
  const word = /^-./.test(text) ? `./${text}` : text;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word);
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The flags that say where files, state and service are, and what may be changed, as a command that is printed repeats
 * them.
 */
import type { Where } from './next-command.ts';

/** Those of a command line, of which `given` is what it holds; variables hold for the next command, too. */
export function whereOf(given: Readonly<Record<string, unknown>>): Where {
  const flag = (name: string, written = `--${name}`): string =>
    [given[name] ?? []]
      .flat()
      .map((value) => ` ${written} ${shellWord(String(value))}`)
      .join('');
  return {
    files: flag('file', '-f'),
    folders: flag('allow-path') + flag('state-folder'),
    service: flag('base-url') + flag('api-key-file'),
    selection: ['target', 'exclude', 'since', 'only'].map((name) => flag(name)).join('') + prune(given),
  };
}

function prune({ prune }: Readonly<Record<string, unknown>>): string {
  if (prune === undefined) return '';
  return prune ? ' --prune' : ' --no-prune';
}

/** A path, or what else may not begin with a dash, as a POSIX shell takes it for one word, and no command for a flag. */
export function shellWord(text: string): string {
  const word = /^-./.test(text) ? `./${text}` : text;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word);
}

/** `text` in single quotes, as POSIX shells and zsh read them. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

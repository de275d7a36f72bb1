/**
 * Text → plain values, with the place of each for whoever asks. What the values mean is decided
 * elsewhere, so that another reader of the same text can stand in for this one.
 */
import type { Node } from 'yaml';
import type { Problem } from '../core/problem.ts';
import { type Aliases, resolveAliases } from './aliases.ts';
import { hideSecrets } from './hide.ts';
import { createLocator, type Part, type Path, rangeOf } from './locate.ts';
import { type Finding, type Hidden, problemAt, type Range, type Source } from './source.ts';
import { composeYaml } from './syntax.ts';
import { toValues } from './values.ts';

export interface Document {
  readonly source: Source;
  /** Texts, numbers, booleans, null, arrays and objects. */
  readonly value: unknown;
  /**
   * Where the value at `path`, or its key, is written; for values that came by an alias or a merge
   * key, that is where the anchor is. Of a path that leads nowhere, its last part that exists.
   */
  locate(path: Path, part?: Part): Range;
  /** Where each item of the list at `path` starts, where that is known without a look at each. */
  readonly itemStarts?: (path: Path) => readonly number[] | undefined;
  readonly hidden: Hidden;
}

/** Reads a source; without a document, the problems say why. Never throws. */
export function parseYaml(source: Source): { document?: Document; problems: readonly Problem[] } {
  const tree = composeYaml(source);
  if (!('contents' in tree)) return { problems: tree };
  const aliases: Aliases = source.text.includes('&') ? resolveAliases(tree) : new Map();
  let found: Hidden | undefined;
  const hidden: Hidden = (line) => {
    found ??= hideSecrets(source, tree, aliases);
    return found(line);
  };
  const problems: Problem[] = [];
  const tell = (node: Node, finding: Finding): void => {
    problems.push(problemAt(source, rangeOf(node), finding, hidden));
  };
  const values = toValues(tree, aliases, tell);
  if (values === undefined) return { problems };
  const locate = createLocator(tree, aliases);
  return { document: { source, value: values.value, locate, hidden }, problems };
}

/** YAML → document, by the full parser; what the values mean is decided elsewhere. */
import type { Node } from 'yaml';
import type { Problem } from '../../model/errors.ts';
import type { Document } from '../read/source.ts';
import { type Finding, type Hidden, problemAt, type Source } from '../read/source.ts';
import { hideSecrets } from './hide.ts';
import { createLocator, rangeOf } from './locate.ts';
import { composeYaml } from './syntax.ts';
import { type Aliases, resolveAliases, toValues } from './values.ts';

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

/** What the aliases of a document stand for. */
import { type Alias, type Document, isAlias, type Node, visit } from 'yaml';

export type Aliases = ReadonlyMap<Alias, Node>;

/** The node of each alias: the last one before it that has its anchor. */
export function resolveAliases(document: Document.Parsed): Aliases {
  const aliases = new Map<Alias, Node>();
  const anchors = new Map<string, Node>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const anchored = anchors.get(node.source);
        if (anchored !== undefined) aliases.set(node, anchored);
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return aliases;
}

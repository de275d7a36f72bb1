/** What the aliases of a document stand for. */
import { type Alias, type Document, isAlias, type Node, visit } from 'yaml';

export type Targets = ReadonlyMap<Alias, Node>;

/** The node of each alias: the last one before it that has its anchor. */
export function resolveAliases(document: Document.Parsed): Targets {
  const targets = new Map<Alias, Node>();
  const anchors = new Map<string, Node>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target !== undefined) targets.set(node, target);
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

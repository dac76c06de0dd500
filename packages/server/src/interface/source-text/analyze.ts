import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, visit } from 'yaml'
import { isMergeKey, nameOf, type Resolve } from './place.ts'

/** Target of an alias; `nothing` if no such anchor precedes it, `itself` if the target contains the alias. */
export type AliasTarget = Node | 'nothing' | 'itself'

export type DocumentAnalysis = {
  aliases: Map<Alias, AliasTarget>
  /** Duplicate names in mappings. */
  repeated: Node[]
  /** Members that merge other mappings. */
  merges: Pair[]
}

/** Analyzes a document in one pass. The library needs a pass for each alias, and compares each name with all others. */
export function analyzeDocument(document: Document): DocumentAnalysis {
  const looked: DocumentAnalysis = { aliases: new Map(), repeated: [], merges: [] }
  const anchored = new Map<string, Node>()
  visit(document, {
    Node: (_, node, path) => {
      if (isAlias(node)) {
        const target = anchored.get(node.source)
        looked.aliases.set(node, target && path.includes(target) ? 'itself' : (target ?? 'nothing'))
        return
      }
      if (node.anchor) anchored.set(node.anchor, node)
      if (!isMap(node)) return
      looked.repeated.push(...repeatedIn(node.items))
      looked.merges.push(...node.items.filter(({ key }) => isMergeKey(key)))
    },
  })
  return looked
}

function* repeatedIn(pairs: readonly Pair[]): Generator<Node> {
  const names = new Set<string>()
  for (const { key } of pairs) {
    if (!isScalar(key) || isMergeKey(key)) continue
    if (names.has(nameOf(key))) yield key
    names.add(nameOf(key))
  }
}

/** Returns the number of values in a node after all aliases are expanded. */
export function expandedCount(root: unknown, resolve: Resolve): number {
  const counts = new Map<unknown, number>()
  return countOf(root)

  function countOf(node: unknown): number {
    const target = resolve(node)
    const count = counts.get(target) ?? 1 + childrenOf(target).reduce<number>((sum, child) => sum + countOf(child), 0)
    counts.set(target, count)
    return count
  }
}

function childrenOf(node: unknown): unknown[] {
  if (isSeq(node)) return node.items
  return isMap(node) ? node.items.map(({ value }) => value) : []
}

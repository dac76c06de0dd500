import { type Alias, type Document, isAlias, isMap, isScalar, type Node, type Pair, visit } from 'yaml'
import { nameOf } from './place.ts'

/** What an alias stands for; `nothing` has no such anchor before it, `itself` is a part of what it stands for. */
export type Target = Node | 'nothing' | 'itself'

export type Looked = {
  /** What each alias stands for, in their order. */
  aliases: Map<Alias, Target>
  /** Names that their mapping has before already. */
  repeated: Node[]
}

/** Looks through a document once. The library does for each alias, and compares each name with all others. */
export function look(document: Document): Looked {
  const looked: Looked = { aliases: new Map(), repeated: [] }
  const anchored = new Map<string, Node>()
  visit(document, {
    Node: (_, node, path) => {
      if (isAlias(node)) {
        const target = anchored.get(node.source)
        looked.aliases.set(node, target && path.includes(target) ? 'itself' : (target ?? 'nothing'))
        return
      }
      if (node.anchor) anchored.set(node.anchor, node)
      if (isMap(node)) for (const key of repeatedIn(node.items)) looked.repeated.push(key)
    },
  })
  return looked
}

function* repeatedIn(pairs: readonly Pair[]): Generator<Node> {
  const names = new Set<string>()
  for (const { key } of pairs) {
    if (!isScalar(key)) continue
    if (names.has(nameOf(key))) yield key
    names.add(nameOf(key))
  }
}

import { type ProjectDocument, projectDocumentKinds } from '@sluice/contract'
import type { Key } from './key.ts'
import { keyOf } from './kinds.ts'
import { type Reference, referencesOf } from './references.ts'

/**
 * Sorts documents in the order in which they can be created: by kind, and after the documents that their texts name.
 * Calls `circle` for a circular reference.
 */
export function inOrder<T extends { document: ProjectDocument }>(
  documents: readonly T[],
  circle: (of: T, reference: Reference) => void,
): T[] {
  const byKey = new Map(documents.map((one) => [keyOf(one.document), one]))
  const ordered = new Set<T>()
  const open = new Set<T>()
  const place = ({ document }: T): number => projectDocumentKinds.indexOf(document.kind)
  for (const one of documents.toSorted((a, b) => place(a) - place(b) || byName(a, b))) visit(one)
  return [...ordered]

  function visit(one: T): void {
    if (ordered.has(one)) return
    open.add(one)
    for (const reference of referencesOf(one.document)) {
      const needed = byKey.get(reference.key)
      if (!needed) continue
      if (open.has(needed)) circle(one, reference)
      else visit(needed)
    }
    open.delete(one)
    ordered.add(one)
  }
}

function byName(a: { document: ProjectDocument }, b: { document: ProjectDocument }): number {
  const [left, right]: Key[] = [keyOf(a.document), keyOf(b.document)]
  return left === right ? 0 : (left ?? '') < (right ?? '') ? -1 : 1
}

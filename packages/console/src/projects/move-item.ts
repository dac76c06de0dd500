/** Returns a copy with the item at `index` moved by `by` positions; unchanged if it can't move. */
export function moveItem<T>(items: readonly T[], index: number, by: number): readonly T[] {
  const to = index + by
  const item = items[index]
  if (item === undefined || to < 0 || to >= items.length) return items
  return items.toSpliced(index, 1).toSpliced(to, 0, item)
}

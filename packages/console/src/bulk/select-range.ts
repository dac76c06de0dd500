/** Returns the selection after a change of one item, or of all items from the last changed one to it. */
export function selectRange(
  selected: ReadonlySet<string>,
  ids: readonly string[],
  { id, anchor }: { id: string; anchor?: string | undefined },
): ReadonlySet<string> {
  const isAdded = !selected.has(id)
  const [from, to] = [ids.indexOf(anchor ?? id), ids.indexOf(id)].sort((a, b) => a - b)
  // The anchor row may no longer exist after the filters change.
  const range = from === undefined || to === undefined || from < 0 ? [id] : ids.slice(from, to + 1)
  const next = new Set(selected)
  for (const one of range) {
    if (isAdded) next.add(one)
    else next.delete(one)
  }
  return next
}

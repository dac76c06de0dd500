/** Pixels. A box holds two lines of text. The gap between columns leaves room for curved edges. */
export const box = { width: 250, height: 60 } as const
export const gap = { column: 50, row: 20 } as const

export type BoxPosition = { id: string; x: number; y: number }

/**
 * Lays out an acyclic graph: each box is one column after its last dependency, and as close to its dependencies as
 * possible. Ties are broken by the order of `needs`, so the layout is stable.
 */
export function layout(needs: ReadonlyMap<string, readonly string[]>): BoxPosition[] {
  const columns = new Map<number, string[]>()
  const columnOf = new Map<string, number>()
  for (const id of needs.keys()) {
    const column = depth(needs, id, columnOf)
    columns.set(column, [...(columns.get(column) ?? []), id])
  }
  const middleOf = new Map<string, number>()
  const tallest = Math.max(0, ...[...columns.values()].map(({ length }) => length))
  return [...columns]
    .sort(([one], [other]) => one - other)
    .flatMap(([column, ids]) => {
      const wish = (id: string) => average((needs.get(id) ?? []).map((needed) => middleOf.get(needed) ?? 0))
      const ordered = ids.toSorted((one, other) => wish(one) - wish(other))
      const top = (tallest - ids.length) / 2
      return ordered.map((id, row) => {
        middleOf.set(id, top + row)
        return { id, x: column * (box.width + gap.column), y: (top + row) * (box.height + gap.row) }
      })
    })
}

/** Returns the SVG path between the right side of one box and the left side of another. */
export function edgePath(from: BoxPosition, to: BoxPosition): string {
  const [x, y] = [from.x + box.width, from.y + box.height / 2]
  const [endX, endY] = [to.x, to.y + box.height / 2]
  const bend = gap.column / 2
  return `M ${x} ${y} C ${x + bend} ${y}, ${endX - bend} ${endY}, ${endX} ${endY}`
}

/** Returns the length of the longest dependency chain of a step. */
function depth(needs: ReadonlyMap<string, readonly string[]>, id: string, known: Map<string, number>): number {
  const before = known.get(id)
  if (before !== undefined) return before
  known.set(id, 0) // stops at a cycle, which valid pipelines don't have
  const own = Math.max(0, ...(needs.get(id) ?? []).map((needed) => depth(needs, needed, known) + 1))
  known.set(id, own)
  return own
}

const average = (numbers: number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, one) => sum + one, 0) / numbers.length

/** Pixels. A box holds two lines of text; the gap between columns leaves room for the bends of the edges. */
export const box = { width: 250, height: 60 } as const
export const gap = { column: 50, row: 20 } as const

export type Placed = { id: string; x: number; y: number }

/**
 * Where the boxes of a graph without circles stand: each one column after the last that it needs, and within its column
 * as near as can be to what it needs. The order of `needs` breaks ties, so that a graph always looks the same.
 */
export function layout(needs: ReadonlyMap<string, readonly string[]>): Placed[] {
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

/** The line from the right of one box to the left of another, as a path of SVG. */
export function edgePath(from: Placed, to: Placed): string {
  const [x, y] = [from.x + box.width, from.y + box.height / 2]
  const [endX, endY] = [to.x, to.y + box.height / 2]
  const bend = gap.column / 2
  return `M ${x} ${y} C ${x + bend} ${y}, ${endX - bend} ${endY}, ${endX} ${endY}`
}

/** The length of the longest way from a step that needs nothing. */
function depth(needs: ReadonlyMap<string, readonly string[]>, id: string, known: Map<string, number>): number {
  const before = known.get(id)
  if (before !== undefined) return before
  known.set(id, 0) // should there be a circle after all, it ends here
  const own = Math.max(0, ...(needs.get(id) ?? []).map((needed) => depth(needs, needed, known) + 1))
  known.set(id, own)
  return own
}

const average = (numbers: number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, one) => sum + one, 0) / numbers.length

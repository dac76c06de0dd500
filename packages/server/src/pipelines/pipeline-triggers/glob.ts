/** Part of a pattern: a character or a wildcard. */
type Piece = { text: string } | { any: 'but /' | 'all' | 'folders' }

/**
 * Reports whether a name matches a pattern: `*` matches any part without a slash, `**` any part. `**` before a slash
 * also matches no directory. The time is at most proportional to the product of the lengths.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  const pieces = piecesOf(pattern)
  /** Whether the pieces so far match the first `length` characters. */
  let reached = Array.from({ length: name.length + 1 }, (_, length) => length === 0)
  for (const piece of pieces) reached = after(piece, reached, name)
  return reached[name.length] === true
}

function piecesOf(pattern: string): Piece[] {
  return [...pattern.matchAll(/(?<=^|\/)\*\*\/|\*+|[^*]/gsu)].map(([text]): Piece => {
    if (text === '**/') return { any: 'folders' }
    if (text.startsWith('**')) return { any: 'all' }
    return text === '*' ? { any: 'but /' } : { text }
  })
}

function after(piece: Piece, before: boolean[], name: string): boolean[] {
  if ('text' in piece) {
    return before.map((_, end) => {
      const start = end - piece.text.length
      return start >= 0 && before[start] === true && name.startsWith(piece.text, start)
    })
  }
  const reached: boolean[] = []
  let isOpen = false
  for (const [end, isBefore] of before.entries()) {
    const last = name[end - 1]
    if (piece.any === 'but /' && last === '/') isOpen = false
    isOpen ||= isBefore
    reached.push(piece.any === 'folders' ? isBefore || (isOpen && last === '/') : isOpen)
  }
  return reached
}

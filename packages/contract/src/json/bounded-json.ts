/** How deeply a JSON text may be nested, and how many values it may have. */
export type JsonBounds = { maxDepth: number; maxValues: number }

/** A value that a program or a caller chooses, such as the output of a step. Real ones are below 20 and 10,000. */
export const valueBounds: JsonBounds = { maxDepth: 64, maxValues: 50_000 }

/** A message that carries such a value in an envelope. */
export const messageBounds: JsonBounds = { maxDepth: 2 * valueBounds.maxDepth, maxValues: 2 * valueBounds.maxValues }

/**
 * A plan or a state. One of some thousands of resources has a million values; of 128 MiB, each has 25 bytes. The JSON
 * reader of the tools accepts no deeper nesting: https://pkg.go.dev/encoding/json (maxNestingDepth, read 2026-11).
 */
export const documentBounds: JsonBounds = { maxDepth: 10_000, maxValues: 5_000_000 }

/** A JSON text exceeds its bounds. */
export class JsonBoundsError extends Error {
  override readonly name = 'JsonBoundsError'
}

/**
 * Parses JSON that a program or a caller has written. The text is measured before it is parsed, in one pass and without
 * recursion: whoever walks the value afterwards may recurse.
 * @throws {JsonBoundsError} for a text that exceeds its bounds
 * @throws {SyntaxError} for a text that is no JSON
 */
export function parseBoundedJson(text: string, bounds: JsonBounds = valueBounds): unknown {
  expectBounds(text, bounds)
  return JSON.parse(text)
}

/**
 * Checks that a JSON text is within bounds.
 * @throws {JsonBoundsError} for a text that exceeds them
 */
export function expectBounds(text: string, bounds: JsonBounds): void {
  const excess = findExcess(text, bounds)
  if (excess !== undefined) throw new JsonBoundsError(excess)
}

const [quote, comma, bracket, closingBracket, brace, closingBrace] = [...'",[]{}'].map((one) => one.charCodeAt(0))

/** Returns what a JSON text has too much of; undefined where it is within its bounds. */
export function findExcess(text: string, { maxDepth, maxValues }: JsonBounds): string | undefined {
  let depth = 0
  let valueCount = 1
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case bracket:
      case brace:
        depth += 1
        valueCount += 1
        break
      case closingBracket:
      case closingBrace:
        depth -= 1
        break
      case comma:
        valueCount += 1
    }
    if (depth > maxDepth) return `expected at most ${maxDepth} levels of nesting`
    if (valueCount > maxValues) return `expected at most ${maxValues} values`
  }
  return undefined
}

/** Returns where the JSON string ends that begins with the quote at `from`. */
export function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapeCount = 0
    while (text[end - 1 - escapeCount] === '\\') escapeCount += 1
    if (escapeCount % 2 === 0) return end
  }
  return text.length
}

/** Maximum nesting depth and number of values of a JSON text. */
export type JsonBounds = { maxDepth: number; maxValues: number }

/**
 * Bounds for a value that a program or a caller chose, such as the output of a step. Real values stay below a depth of
 * 20 and 10,000 values.
 */
export const valueBounds: JsonBounds = { maxDepth: 64, maxValues: 50_000 }

/** Bounds for a message with such a value in an envelope. */
export const messageBounds: JsonBounds = { maxDepth: 2 * valueBounds.maxDepth, maxValues: 2 * valueBounds.maxValues }

/**
 * Bounds for a plan or a state. One with some thousands of resources has a million values; at 128 MiB, each has 25
 * bytes. The tools' JSON parser has the same nesting limit: https://pkg.go.dev/encoding/json (maxNestingDepth, read
 * 2026-11).
 */
export const documentBounds: JsonBounds = { maxDepth: 10_000, maxValues: 5_000_000 }

/** Error for a JSON text that exceeds its bounds. */
export class JsonBoundsError extends Error {
  override readonly name = 'JsonBoundsError'
}

/**
 * Parses JSON that a program or a caller wrote. The text is measured first, in one pass and without recursion, so that
 * later code can recurse safely.
 * @throws {JsonBoundsError} if the text exceeds its bounds
 * @throws {SyntaxError} if the text is not JSON
 */
export function parseBoundedJson(text: string, bounds: JsonBounds = valueBounds): unknown {
  expectBounds(text, bounds)
  return JSON.parse(text)
}

/**
 * Checks that a JSON text is within bounds.
 * @throws {JsonBoundsError} if it exceeds them
 */
export function expectBounds(text: string, bounds: JsonBounds): void {
  const excess = findExcess(text, bounds)
  if (excess !== undefined) throw new JsonBoundsError(excess)
}

const [quote, comma, bracket, closingBracket, brace, closingBrace] = [...'",[]{}'].map((one) => one.charCodeAt(0))

/** Returns which bound a JSON text exceeds, or undefined. */
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

/** Returns the index after the JSON string whose opening quote is at `from`. */
export function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapeCount = 0
    while (text[end - 1 - escapeCount] === '\\') escapeCount += 1
    if (escapeCount % 2 === 0) return end
  }
  return text.length
}

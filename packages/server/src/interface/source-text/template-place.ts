import type { Scalar } from 'yaml'

/** Position of an error within a template's text, counted from 1, and the phrase in the message that has it. */
type Within = { line: number; column: number; words: string }

/** Parses the position at the end of the first line of a template's error. */
function withinTemplate(message: string): Within | undefined {
  const [words, line, column] = / \(line (\d+), column (\d+)\)(?=\n|$)/.exec(message) ?? []
  return words === undefined ? undefined : { line: Number(line), column: Number(column), words }
}

/**
 * Returns the position in the file for an error in the template `scalar`, and the message without its own position.
 * Returns undefined if the file has the text in another form, such as folded or with escapes.
 */
export function placeInTemplate(
  text: string,
  scalar: Scalar,
  message: string,
): { offset: number; message: string } | undefined {
  const within = withinTemplate(message)
  if (!within || typeof scalar.value !== 'string' || !scalar.range) return undefined
  const [from, to] = scalar.range
  const begin = scalar.type === 'BLOCK_LITERAL' ? lineOfBlock(text, scalar.value, from, within.line) : lineOfFlow(from)
  const offset = begin === undefined ? undefined : begin + within.column - 1
  return offset === undefined ? undefined : { offset, message: message.replace(within.words, '') }

  /** Returns the offset in a text on one line without escapes, possibly in quotation marks. */
  function lineOfFlow(from: number): number | undefined {
    const quote = scalar.type === 'PLAIN' ? 0 : 1
    return text.slice(from + quote, to - quote) === scalar.value ? from + quote : undefined
  }
}

/** Returns the offset of a line in a block after its indentation; `from` is the offset of its header. */
function lineOfBlock(text: string, value: string, from: number, line: number): number | undefined {
  let begin = from
  for (let left = line; left > 0; left -= 1) begin = text.indexOf('\n', begin) + 1
  const end = text.indexOf('\n', begin)
  const written = text.slice(begin, end === -1 ? undefined : end).replace(/\r$/, '')
  const said = value.split('\n', line)[line - 1]
  return said !== undefined && written.endsWith(said) ? begin + written.length - said.length : undefined
}

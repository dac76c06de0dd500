import type { Scalar } from 'yaml'

/** Where a template's fault is in the text that holds the template, from 1, and the words that say so. */
type Within = { line: number; column: number; words: string }

/** The first line of a template's fault ends so. */
function withinTemplate(message: string): Within | undefined {
  const [words, line, column] = / \(line (\d+), column (\d+)\)(?=\n|$)/.exec(message) ?? []
  return words === undefined ? undefined : { line: Number(line), column: Number(column), words }
}

/**
 * Where in a file the fault of a template is whose text is `scalar`, and what is left to say of it. Undefined where the
 * file has the text in other letters, such as folded or with escapes.
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

  /** Of a text on one line that is written as it is, maybe in quotation marks. */
  function lineOfFlow(from: number): number | undefined {
    const quote = scalar.type === 'PLAIN' ? 0 : 1
    return text.slice(from + quote, to - quote) === scalar.value ? from + quote : undefined
  }
}

/** Where a line of a block begins behind its indentation; `from` is where its header is. */
function lineOfBlock(text: string, value: string, from: number, line: number): number | undefined {
  let begin = from
  for (let left = line; left > 0; left -= 1) begin = text.indexOf('\n', begin) + 1
  const end = text.indexOf('\n', begin)
  const written = text.slice(begin, end === -1 ? undefined : end).replace(/\r$/, '')
  const said = value.split('\n', line)[line - 1]
  return said !== undefined && written.endsWith(said) ? begin + written.length - said.length : undefined
}

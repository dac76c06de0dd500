import type { StepLogChunk } from '@sluice/contract'

export type LogLine = {
  attempt: number
  writtenAt: string
  /** Original text with color codes. */
  text: string
  /** Text without color codes, for searching. */
  plain: string
}

/** Terminal control sequences: styles (CSI), titles and links (OSC), and two-character sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const commands = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])/g

/** Returns the lines of a chunk, and a separator line if a new attempt starts. */
export function linesOf({ attempt, writtenAt, text }: StepLogChunk, attemptBefore = attempt): LogLine[] {
  const texts = text.split('\n')
  if (texts.at(-1) === '') texts.pop()
  if (attempt !== attemptBefore) texts.unshift(`\u001B[36m── attempt ${attempt} ──\u001B[0m`)
  return texts.map((line) => ({ attempt, writtenAt, text: line, plain: line.replaceAll(commands, '') }))
}

/** Returns the indexes of matching lines, ignoring case. */
export function findLines(lines: readonly LogLine[], wanted: string): number[] {
  const needle = wanted.trim().toLowerCase()
  if (needle === '') return []
  return lines.flatMap(({ plain }, index) => (plain.toLowerCase().includes(needle) ? [index] : []))
}

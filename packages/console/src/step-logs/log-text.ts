import type { StepLogChunk } from '@sluice/contract'

export type LogLine = {
  attempt: number
  writtenAt: string
  /** As it was written, colours and all. */
  text: string
  /** The same without colours, to be searched. */
  plain: string
}

/**
 * What terminals take as commands: colours and other styles (CSI), titles and links (OSC), the rest of two characters.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const commands = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])/g

/** The lines of a piece of a log, whose text is whole lines. Where another attempt begins, a line of ours says so. */
export function linesOf({ attempt, writtenAt, text }: StepLogChunk, attemptBefore = attempt): LogLine[] {
  const texts = text.split('\n')
  if (texts.at(-1) === '') texts.pop()
  if (attempt !== attemptBefore) texts.unshift(`\u001B[36m── attempt ${attempt} ──\u001B[0m`)
  return texts.map((line) => ({ attempt, writtenAt, text: line, plain: line.replaceAll(commands, '') }))
}

/** The numbers of the lines that have a text, whatever its case. */
export function findLines(lines: readonly LogLine[], wanted: string): number[] {
  const needle = wanted.trim().toLowerCase()
  if (needle === '') return []
  return lines.flatMap(({ plain }, index) => (plain.toLowerCase().includes(needle) ? [index] : []))
}

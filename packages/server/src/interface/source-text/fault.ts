import { removeControlCharacters } from '@sluice/calls/control-characters'
import type { PositionedProblem } from './document.ts'

/** Error in a file, with its code and its position, counted from 1. */
export type FileProblem = { file: string } & PositionedProblem

/** Formats an error so that editors and terminals link to its position. Further lines of a message follow below. */
export function faultLine({ file, line, column, code, message }: FileProblem): string {
  const indented = message.replaceAll('\n', '\n  ')
  return `${removeControlCharacters(`${file}:${line}:${column}: error ${code}: ${indented}`)}\n`
}

import { harmless } from '@sluice/calls/harmless'
import type { Placed } from './document.ts'

/** Something wrong with a file: what, by its code, and where, from 1. */
export type Fault = { file: string } & Placed

/** Editors and terminals make links of places that are written so. Further lines of a message stand below it. */
export function faultLine({ file, line, column, code, message }: Fault): string {
  const indented = message.replaceAll('\n', '\n  ')
  return `${harmless(`${file}:${line}:${column}: error ${code}: ${indented}`)}\n`
}

import { escapeControlCharactersInJson, removeControlCharacters } from '@sluice/calls/control-characters'
import { type FileProblem, faultLine } from '@sluice/server/interface/source-text/fault'
import type { Report } from './lint.ts'
import { relativePath } from './relative-path.ts'
import { sarifOf } from './sarif.ts'

/** Functions that format a report, by the name of the format. */
export const formats = {
  text: ({ faults }: Report) => faults.map(faultLine).join(''),
  json: (report: Report) => asJson(report),
  sarif: (report: Report) => asJson(sarifOf(report)),
  github: ({ faults }: Report) => faults.map(annotationOf).join(''),
}
export type Format = keyof typeof formats

const asJson = (value: unknown): string => `${escapeControlCharactersInJson(JSON.stringify(value, null, 2))}\n`

/** Returns a GitHub Actions workflow command that annotates the fault in a pull request. */
function annotationOf({ file, line, column, code, message }: FileProblem): string {
  const properties = { file: relativePath(file), line, col: column, title: code }
  const written = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(String(value))}`)
  return `::error ${written.join(',')}::${escaped(message)}\n`
}

// Escapes like GitHub's own library: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
// (November 2026).
const escaped = (text: string): string =>
  removeControlCharacters(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapedProperty = (text: string): string => escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

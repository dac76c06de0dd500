import { removeControlCharacters } from '@sluice/calls/control-characters'
import { type SchemaKind, schemaKinds } from '@sluice/server/interface/schemas/configs'
import type { PositionedProblem } from '@sluice/server/interface/source-text/document'
import type { FileProblem } from '@sluice/server/interface/source-text/fault'
import { checkBytes } from './check.ts'
import { bytesOf, findFiles, reasonOf, type Source } from './files.ts'
import { type Format, formats } from './formats.ts'

export type Report = {
  checked: { file: string; kind: SchemaKind }[]
  faults: FileProblem[]
  /** Skipped files that were not named. */
  passedOver: { file: string; reason: string }[]
  unreadable: { file: string; reason: string }[]
}

/** Checks files like the service, without calling it. The exit code is the result. */
export async function lint(names: string[], { format, verbose }: { format: Format; verbose?: true }): Promise<void> {
  const { sources, unreadable } = findFiles(names)
  const report: Report = { checked: [], faults: [], passedOver: [], unreadable }
  for (const source of sources) await look(source, report)
  process.stdout.write(formats[format](report))
  for (const line of remarksOn(report, verbose === true)) process.stderr.write(`${removeControlCharacters(line)}\n`)
  process.exitCode = codeOf(report)
}

async function look({ file, isNamed }: Source, report: Report): Promise<void> {
  const bytes = await bytesOf(file).catch((error: unknown) => {
    report.unreadable.push({ file, reason: reasonOf(error) })
  })
  if (!bytes) return
  // An empty standard input means that the previous program in the pipe failed.
  if (file === '-' && bytes.toString().trim() === '') {
    report.unreadable.push({ file, reason: 'it is empty' })
    return
  }
  const { kind, faults, otherwise } = await checkBytes(bytes, isNamed)
  if (kind) report.checked.push({ file, kind })
  report.faults.push(...faults.toSorted(byPlace).map((fault) => ({ file, ...fault })))
  if (otherwise !== undefined) report.passedOver.push({ file, reason: otherwise })
}

const byPlace = (a: PositionedProblem, b: PositionedProblem): number => a.line - b.line || a.column - b.column

function codeOf(report: Report): number {
  if (report.unreadable.length > 0 || isEmpty(report)) return 2
  return report.faults.length > 0 ? 1 : 0
}

/** Reports whether nothing was checked, which must not look like success. */
const isEmpty = ({ checked, faults }: Report): boolean => checked.length === 0 && faults.length === 0

function remarksOn(report: Report, isVerbose: boolean): string[] {
  const { unreadable, passedOver } = report
  return [
    ...(isVerbose ? passedOver.map(({ file, reason }) => `${file}: passed over, ${reason}.`) : []),
    ...unreadable.map(({ file, reason }) => `sluice: ${file} cannot be read: ${reason}.`),
    summaryOf(report),
  ]
}

function summaryOf(report: Report): string {
  const { checked, faults } = report
  if (isEmpty(report))
    return 'sluice: There is no module, pipeline or project file to check; --verbose lists skipped files.'
  const looked = schemaKinds
    .map((kind) => ({ kind, count: checked.filter((one) => one.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => counted(count, nouns[kind]))
  const wrong = new Set(faults.map(({ file }) => file)).size
  const found = faults.length === 0 ? 'no errors' : `${counted(faults.length, 'error')} in ${counted(wrong, 'file')}`
  return `${looked.length > 0 ? `${looked.join(', ')}: ` : ''}${found}.`
}

const nouns = { module: 'module', pipeline: 'pipeline', project: 'project file' } as const

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

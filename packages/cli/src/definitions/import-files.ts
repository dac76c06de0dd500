import { readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import { UsageError } from '@sluice/calls/usage-error'
import type { ProjectDocument } from '@sluice/contract'
import type { FileProblem } from '@sluice/server/interface/source-text/fault'
import { maxFileBytes } from '@sluice/server/interface/source-text/text'
import { shortened } from '@sluice/server/platform/http/faults'
import { stringify } from 'yaml'
import { bytesOf, reasonOf } from '../lint/files.ts'
import { formats } from '../lint/formats.ts'
import { definitionsIn } from './definitions.ts'
import { type ImportTarget, instanceOf, moduleDocuments } from './instance.ts'
import { readSource, type Source } from './source.ts'

export type ImportOptions = ImportTarget & { only?: string; to?: string; withModule?: true }

const clusterArn = /^arn:[a-z-]+:ecs:[a-z0-9-]+:\d{12}:cluster\/[^/\s]+$/

/** Writes the services in the files as module instances of project files, and prints what was omitted. */
export async function importFiles(files: string[], wishes: ImportOptions): Promise<void> {
  if (wishes.cluster !== undefined && !clusterArn.test(wishes.cluster)) {
    throw new UsageError(
      '--cluster must be the ARN of a cluster, such as arn:aws:ecs:eu-west-1:123456789012:cluster/shop.',
    )
  }
  const read = await Promise.all(files.map(named))
  const unread = read.flatMap((one) => ('faults' in one ? one.faults : []))
  if (unread.length > 0) return reject(unread)
  const { defined, told, faults } = definitionsIn(read as Source[], beside, wishes.only)
  if (faults.length > 0) return reject(faults, told)
  if (defined.length === 0)
    throw new Error(`There is no service${wishes.only ? ` ${wishes.only}` : ''} in these files.`)
  for (const flag of ['as', 'service', 'image'] as const) {
    if (defined.length > 1 && wishes[flag] !== undefined) {
      throw new UsageError(
        `--${flag} applies to one service, but the files have ${namesOf(defined)}: select one with --only.`,
      )
    }
  }
  const made = defined.map(({ from, one, path }) => ({ from, path, ...instanceOf(one, wishes) }))
  const missing = made.flatMap((one) => ('fault' in one ? [one.from.faultAt(`${one.path}: ${one.fault}`)] : []))
  if (missing.length > 0) return reject(missing, told)
  const instances = made.flatMap((one) => ('instance' in one ? [one.instance] : []))
  write([...(wishes.withModule ? moduleDocuments() : []), ...instances], wishes.to)
  tell(told, wishes)
}

const namesOf = (defined: readonly { one: { name: string } }[]): string => defined.map(({ one }) => one.name).join(', ')

async function named(file: string): Promise<Source | { faults: FileProblem[] }> {
  const bytes = await bytesOf(file).catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${reasonOf(error)}.`)
  })
  return readSource(file, bytes)
}

/** Reads a file named by another one, which must be in the same folder or below, even through links. */
function beside(from: Source, name: string): Source | { faults: FileProblem[] } {
  const refused = (why: string) => ({ faults: [from.faultAt(`$: ${name}: ${why}`)] })
  try {
    const folder = realpathSync(dirname(from.file === '-' ? '.' : from.file))
    const file = realpathSync(join(folder, name))
    if (!file.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)) {
      return refused('it is outside the directory of this file')
    }
    const { size } = statSync(file)
    if (!statSync(file).isFile() || size > maxFileBytes)
      return refused(`it is not a file of at most ${maxFileBytes} bytes`)
    if (name.endsWith('.jsonnet')) return refused('Jsonnet is not supported: run ecspresso render first')
    return readSource(join(dirname(from.file), name), readFileSync(file))
  } catch (error) {
    return refused(`it cannot be read: ${reasonOf(error)}`)
  }
}

/** Prints errors and omissions, because one often explains the other. */
function reject(found: FileProblem[], told: readonly FileProblem[] = []): void {
  const faults = found.map((fault) => ({ ...fault, message: shortened(fault.message) }))
  process.stderr.write(formats.text({ checked: [], faults, passedOver: [], unreadable: [] }))
  process.stderr.write(`sluice: ${faults.length} ${faults.length === 1 ? 'error' : 'errors'}. Nothing is written.\n`)
  say(linesOf(told))
  process.exitCode = 1
}

function write(documents: readonly ProjectDocument[], to: string | undefined): void {
  const text = documents.map((one) => stringify(one, { lineWidth: 110, aliasDuplicateObjects: false })).join('---\n')
  if (to === undefined) return void process.stdout.write(process.stdout.isTTY ? removeControlCharacters(text) : text)
  try {
    writeFileSync(to, text, { flag: 'wx' })
  } catch (error) {
    throw new Error(`${to} cannot be written: ${reasonOf(error)}.`)
  }
}

function tell(told: readonly FileProblem[], { withModule }: ImportOptions): void {
  const lines = linesOf(told)
  const { name } = moduleDocuments()[0]
  if (!withModule)
    lines.push(
      `The module is ${name}, which the first import of an organization creates. --with-module writes it, too.`,
    )
  say(lines)
}

const linesOf = (told: readonly FileProblem[]): string[] =>
  told.toSorted(byPlace).map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`)

function say(lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `${removeControlCharacters(line)}\n`).join(''))
}

const byPlace = (a: FileProblem, b: FileProblem): number =>
  a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1

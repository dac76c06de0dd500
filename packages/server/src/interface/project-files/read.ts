import {
  apiErrors,
  type ProjectDocument,
  type ProjectDocumentKind,
  projectDocumentKinds,
  projectDocuments,
} from '@sluice/contract'
import { Compile, type Validator } from 'typebox/compile'
import { faultsOf, storageFaultsOf } from '../../platform/http/faults.ts'
import { schemaErrorOf } from '../schemas/check.ts'
import { type PositionedProblem, SourceText } from '../source-text/document.ts'
import type { FileProblem } from '../source-text/fault.ts'
import { decodeText, limitErrorOf, unreadable } from '../source-text/text.ts'
import type { Key } from './key.ts'
import { keyOf } from './kinds.ts'
import { namesSecret, withExampleIds, withSecrets } from './references.ts'

/** Document with its position in a file. */
export type Written = {
  key: Key
  /** With its secrets filled in. */
  document: ProjectDocument
  /** As written, which can be displayed. */
  shown: ProjectDocument
  /** Creates an error at a path such as `$.input.size`. */
  faultAt(code: string, path: string, message: string): FileProblem
}

export type ProjectFiles = { written: Written[]; faults: FileProblem[] }

/**
 * Settings for reading files: `env` has the secrets, and `project` overrides the project's name. Without `env` secrets
 * are unknown, and values that contain them are not validated.
 */
export type ReadOptions = { env?: NodeJS.ProcessEnv; project?: string }

/** Content of a file, with its name for errors. */
export type FileBytes = { file: string; bytes: Buffer }

/** Reads all documents in files, without requests to the service. */
export async function readProjectFiles(
  sources: Iterable<FileBytes> | AsyncIterable<FileBytes>,
  reading: ReadOptions,
): Promise<ProjectFiles> {
  const files: ProjectFiles = { written: [], faults: [] }
  for await (const source of sources) await readFile(source, reading, files)
  findRepeated(files)
  return files
}

async function readFile({ file, bytes }: FileBytes, reading: ReadOptions, files: ProjectFiles): Promise<void> {
  const tooMuch = limitErrorOf(bytes)
  if (tooMuch) return void files.faults.push({ file, ...tooMuch })
  const text = decodeText(bytes)
  const sources = SourceText.allOf(text)
  if (sources.every((source) => isOfAnother(file, source))) return
  const unread = sources[0] && unreadable(bytes, text, sources[0])
  if (unread) return void files.faults.push({ file, ...unread })
  for (const source of sources) await readDocument({ file, source }, reading, files)
}

/** Ignores files of modules and pipelines, and JSON of other programs. */
const isOfAnother = (file: string, { rootNames }: SourceText): boolean =>
  !rootNames.includes('kind') && (file.endsWith('.json') || rootNames.includes('steps') || rootNames.includes('inputs'))

type Spot = { file: string; source: SourceText }

async function readDocument(
  { file, source }: Spot,
  reading: ReadOptions,
  { written, faults }: ProjectFiles,
): Promise<void> {
  const read = await documentIn(source, reading)
  if ('faults' in read) return void faults.push(...read.faults.map((fault) => ({ file, ...fault })))
  const faultAt = (code: string, path: string, message: string): FileProblem => ({
    file,
    ...source.placed(code, `${path}: ${message}`),
  })
  written.push({ key: keyOf(read.document), ...read, faultAt })
}

/** Returns a document with its secrets and as written, or all of its errors. */
export async function documentIn(
  source: SourceText,
  reading: ReadOptions,
): Promise<{ document: ProjectDocument; shown: ProjectDocument } | { faults: PositionedProblem[] }> {
  const read = source.read()
  if ('faults' in read) return read
  const kind = projectDocumentKinds.find((one) => one === read.config?.kind)
  if (!kind) {
    const message = `expected one of ${projectDocumentKinds.join(', ')}`
    return { faults: [source.placed('unknown-kind', `$.kind: ${message}`)] }
  }
  const shown = renamed(read.config as ProjectDocument, reading)
  const missing: { name: string; path: string }[] = []
  const document = withSecrets(shown, reading.env ?? {}, (name, path) => missing.push({ name, path }))
  if (reading.env && missing.length > 0) {
    const line = ({ name, path }: (typeof missing)[0]) => `${path}: there is no variable ${name} where this runs`
    return { faults: missing.map((one) => source.placed('no-such-variable', line(one))) }
  }
  const isKnown = ({ line }: { line: string }) => !missing.some(({ path }) => line.startsWith(`${path}:`))
  const lines = (await faultsIn(kind, document)).filter(isKnown)
  if (lines.length === 0) return { document, shown }
  return { faults: lines.map(({ code, line }) => source.placed(code, withoutSecrets(line, shown))) }
}

/** Removes secrets from an error message, which may quote the value. */
const withoutSecrets = (line: string, shown: ProjectDocument): string =>
  namesSecret(shown) ? line.replace(/, got .*$/, '') : line

const renamed = (document: ProjectDocument, { project }: ReadOptions): ProjectDocument =>
  document.kind === 'Project' && project !== undefined ? { ...document, name: project } : document

const validators = new Map<ProjectDocumentKind, Validator>()

function validatorOf(kind: ProjectDocumentKind): Validator {
  const validator = validators.get(kind) ?? (Compile(projectDocuments[kind]) as Validator)
  validators.set(kind, validator)
  return validator
}

/** Returns all errors of a document and of its config, with the messages of the service. */
async function faultsIn(
  kind: ProjectDocumentKind,
  document: ProjectDocument,
): Promise<{ code: string; line: string }[]> {
  const { code } = apiErrors.requestInvalid
  const shape = [...storageFaultsOf(document), ...faultsOf(validatorOf(kind), document)]
  if (shape.length > 0) return shape.map((line) => ({ code, line }))
  if (!('config' in document) || document.config === undefined) return []
  const refused = await schemaErrorOf(kind === 'Pipeline' ? 'pipeline' : 'module', withExampleIds(document.config))
  if (!refused) return []
  const ofConfig = apiErrors[refused.key].code
  return refused.faults.map((line) => ({ code: ofConfig, line: line.replace(/^\$\.data\.config/, '$.config') }))
}

function findRepeated({ written, faults }: ProjectFiles): void {
  const seen = new Set<Key>()
  let projects = 0
  for (const { key, document, faultAt } of written) {
    if (seen.has(key)) faults.push(faultAt('named-twice', '$', `another document is about ${key} already`))
    else if (document.kind === 'Project' && ++projects > 1) {
      faults.push(faultAt('named-twice', '$.name', 'another document is about another project; files are about one'))
    }
    seen.add(key)
  }
}

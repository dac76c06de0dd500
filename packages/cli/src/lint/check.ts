import { apiErrors, projectDocumentKinds } from '@sluice/contract'
import { documentIn } from '@sluice/server/interface/project-files/read'
import { schemaErrorOf } from '@sluice/server/interface/schemas/check'
import { type ConfigKind, type SchemaKind, schemaOf } from '@sluice/server/interface/schemas/configs'
import { type PositionedProblem, SourceText } from '@sluice/server/interface/source-text/document'
import { decodeText, limitErrorOf, unreadable } from '@sluice/server/interface/source-text/text'

type Checked = {
  kind?: SchemaKind
  faults: PositionedProblem[]
  /** Why the file is skipped; for a named file, that is a fault. */
  otherwise?: string
}

const passedOver = (otherwise: string): Checked => ({ faults: [], otherwise })

/** Checks a file by its detected type. Files that were found in a folder are only checked if they are configs. */
export async function checkBytes(bytes: Buffer, isNamed: boolean): Promise<Checked> {
  const tooMuch = limitErrorOf(bytes)
  if (tooMuch) return isNamed ? { faults: [tooMuch] } : passedOver('is too long')
  const text = decodeText(bytes)
  if (!isNamed && !mayBeConfig(text)) return passedOver(neither)
  const source = new SourceText(text)
  const kind = kindOf(source)
  if (!kind && !isNamed) return passedOver(neither)
  const unread = unreadable(bytes, text, source)
  const faults = unread ? [unread] : await (kind === 'project' ? faultsOfProject(text) : faultsOf(source, kind))
  return { ...(kind && { kind }), faults }
}

async function faultsOf(source: SourceText, kind: ConfigKind | undefined): Promise<PositionedProblem[]> {
  const read = source.read()
  if ('faults' in read) return read.faults
  if (!kind) return [source.at(0, 'unknown-kind', `The file ${neither}. ${howToTell(source)}`)]
  const schemaError = await schemaErrorOf(kind, read.config)
  if (!schemaError) return []
  return schemaError.faults.map((line) => source.placed(apiErrors[schemaError.key].code, line))
}

/** Checks each document separately, because references need all files of the project. */
async function faultsOfProject(text: string): Promise<PositionedProblem[]> {
  const read = await Promise.all(SourceText.allOf(text).map((source) => documentIn(source, {})))
  return read.flatMap((one) => ('faults' in one ? one.faults : []))
}

const neither = 'is neither a module, a pipeline nor a project file'
/** Returns advice to use `sluice import` for files that describe ECS services. */
const howToTell = ({ rootNames }: SourceText): string =>
  ['taskDefinition', 'containerDefinitions', 'services', 'serviceArn', 'task_definition'].some((name) =>
    rootNames.includes(name),
  )
    ? '`sluice import` makes a document of a project of what describes container services elsewhere.'
    : 'A pipeline has `steps` at its root, a module has `inputs`, which may be an empty list, and what is of a project its `kind`.'

/** Pre-check that avoids parsing long unrelated files. */
const mayBeConfig = (text: string): boolean => ['steps', 'inputs', 'kind'].some((name) => text.includes(name))

/**
 * Returns the type of a file. A module has a list of inputs or only module fields. Documents of other programs also
 * have a `kind`, and most have an `apiVersion`.
 */
function kindOf(source: SourceText): SchemaKind | undefined {
  const names = source.rootNames
  const kinds: readonly string[] = projectDocumentKinds
  if (kinds.includes(source.textOf('kind') ?? '') && !names.includes('apiVersion')) return 'project'
  if (names.includes('steps')) return 'pipeline'
  if (!names.includes('inputs')) return undefined
  const { properties = {} } = schemaOf('module') as { properties?: Record<string, unknown> }
  return source.isList('inputs') || names.every((name) => Object.hasOwn(properties, name)) ? 'module' : undefined
}

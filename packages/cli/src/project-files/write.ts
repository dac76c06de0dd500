import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProjectDocument } from '@sluice/contract'
import type { Key } from '@sluice/server/interface/project-files/key'
import type { ProjectRecord, ProjectState } from '@sluice/server/interface/project-files/kind'
import { keyOf, namedBy } from '@sluice/server/interface/project-files/kinds'
import { inOrder } from '@sluice/server/interface/project-files/order'
import { readProject } from '@sluice/server/interface/project-files/read-project'
import { referencesOf } from '@sluice/server/interface/project-files/references'
import { stringify } from 'yaml'
import { connect, serviceAt, type UrlOption } from '../calls/connect.ts'

/** Exports a project as files that recreate it. */
export async function exportProject(project: string, folder: string, where: UrlOption): Promise<void> {
  const look = await readProject(connect(where), project)
  if (look.projectId === undefined) throw new Error(`There is no project ${project}. sluice get projects shows all.`)
  const [ambiguous] = look.ambiguous
  if (ambiguous !== undefined) throw new Error(`Several of the project are ${ambiguous}. Give them names of their own.`)
  if ((await namesIn(folder)).length > 0)
    throw new Error(`${folder} is not empty. Name a folder that is, or is not there.`)
  const files = filesOf(look)
  await writeProject(files, folder, serviceAt(where))
  process.stderr.write(`${[...files.values()].flat().length} records of ${project} in ${files.size} files.\n`)
  for (const name of secretsIn(look)) process.stderr.write(`${name} is a secret that is not shown: set it to apply.\n`)
}

/** Writes each document to its file, with the URL of its schema at the service for editors. */
export async function writeProject(files: ProjectInFiles, folder: string, url: string): Promise<void> {
  for (const [path, documents] of files) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, textOf(documents, url))
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Documents of a project by file path. */
export type ProjectInFiles = Map<string, ProjectDocument[]>

/** Returns the documents of a project, including shared records that it uses. */
export function filesOf(look: ProjectState): ProjectInFiles {
  const files: ProjectInFiles = new Map()
  const belonging = [...look.records.values()].filter((one) => belongs(one, look))
  for (const one of inOrder(belonging, () => undefined)) {
    const document = withoutSecret(one)
    const path = pathOf(document)
    files.set(path, [...(files.get(path) ?? []), document])
  }
  return files
}

/**
 * Reports whether a record belongs in the export: shared ones only if the project uses them and the organization owns
 * them.
 */
function belongs({ document, isForeign }: ProjectRecord, { records }: ProjectState): boolean {
  if (isForeign) return false
  const all = [...records.values()].map((one) => one.document)
  const instances = all.filter((one) => one.kind === 'ModuleInstance')
  switch (document.kind) {
    case 'ModuleDefinition':
      return instances.some(({ module }) => module === document.name)
    case 'ModuleVersion':
      return instances.some(({ module, version }) => module === document.name && version === document.version)
    case 'ExecutionEnvironment':
      return isNamedBy(all, keyOf(document))
    case 'DefaultValueDefinition':
      return all.some((one) => one.kind === 'DefaultValue' && one.name === document.name)
    default:
      return true
  }
}

const isNamedBy = (documents: readonly ProjectDocument[], key: Key): boolean =>
  documents.some((one) => [...namedBy(one), ...referencesOf(one)].some((named) => named.key === key))

/** Replaces a secret value with a variable, because secrets are not readable. */
function withoutSecret(one: ProjectRecord): ProjectDocument {
  const variable = variableOf(one)
  if (variable === undefined || one.hidden === undefined) return one.document
  return { ...one.document, [one.hidden]: `\${env:${variable}}` }
}

/** Returns the variable name for a hidden value, or undefined if nothing is hidden. */
function variableOf({ document, hidden }: ProjectRecord): string | undefined {
  if (hidden === undefined || !('name' in document)) return undefined
  const place = document.kind === 'DefaultValue' ? document.environment : undefined
  const words = [place ?? [], document.name, hidden === 'value' ? [] : hidden].flat()
  return words.join('_').toUpperCase().replaceAll(/\W/g, '_')
}

function secretsIn({ records }: ProjectState): string[] {
  return [...records.values()].flatMap((one) => variableOf(one) ?? [])
}

/** Returns the path of a document: a folder per environment, and a separate file for long documents. */
function pathOf(document: ProjectDocument): string {
  switch (document.kind) {
    case 'ModuleDefinition':
    case 'ModuleVersion':
      return `modules/${fileName(document.name)}.yaml`
    case 'Pipeline':
      return `pipelines/${fileName(document.name)}.yaml`
    case 'Environment':
      return `environments/${fileName(document.name)}/environment.yaml`
    case 'ModuleInstance':
      return `environments/${fileName(document.environment)}/instances/${fileName(document.name)}.yaml`
    case 'DefaultValue':
    case 'RoleGrant':
    case 'Freeze':
    case 'Policy':
    case 'ApprovalRule':
    case 'ExecutionAssignment':
    case 'Domain':
    case 'DriftSchedule':
    case 'PreviewTemplate':
      if (document.environment === undefined) return 'project.yaml'
      return `environments/${fileName(document.environment)}/environment.yaml`
    default:
      return 'project.yaml'
  }
}

/** Returns a safe file name for a name from the service. */
const fileName = (name: string): string => name.replaceAll(/[^\w-]/g, '_')

function textOf(documents: readonly ProjectDocument[], url: string): string {
  const schema = `# yaml-language-server: $schema=${url}/schemas/project.json\n`
  return schema + documents.map((one) => stringify(one, { lineWidth: 110, aliasDuplicateObjects: false })).join('---\n')
}

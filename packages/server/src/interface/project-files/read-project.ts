import type { Client } from '@sluice/client'
import { type ProjectDocument, type ProjectDocumentKind, projectDocumentKinds } from '@sluice/contract'
import { type ExternalKind, type Key, keyFor } from './key.ts'
import type { ProjectState, Reader } from './kind.ts'
import { keyOf, orderedKinds } from './kinds.ts'
import { addName, addRecord, all, isInProject, reads, titled } from './reading.ts'

/**
 * What to read: the caller may not see everything, and reading less is faster. Without documents, everything that they
 * could name is read.
 */
export type ReadOptions = { kinds?: ReadonlySet<ProjectDocumentKind>; documents?: readonly ProjectDocument[] }

/** Reads a project, and everything in its organization that its files may name. */
export async function readProject(client: Client, name: string, options: ReadOptions = {}): Promise<ProjectState> {
  const { kinds = new Set(projectDocumentKinds), documents } = options
  const state = { records: new Map(), ids: new Map(), ambiguous: new Set<Key>() }
  const outside = { client, kinds, documents, state, keyOf, keys: new Map(), environments: new Map() }
  await readExternal({ ...outside, ...empty })
  await readPrincipals({ ...outside, ...empty })
  const project = (await all((query) => client.listProjects({ query }))).find(({ givenId }) => givenId === name)
  const reader: Reader = { ...outside, ...(project ? await readNames({ ...outside, ...empty }, project.id) : empty) }
  if (project) {
    const { id, givenId, restricted, visibility } = project
    addRecord(reader, id, { kind: 'Project', name: givenId, ...titled(project), restricted, visibility })
  }
  for (const { name: kindName, kind } of orderedKinds) {
    if (!kind.isShared && !project) continue
    if (reads(reader, kindName, ...(kind.readFor ?? []))) await kind.read(reader, project?.id ?? '')
  }
  return { ...state, ...(project && { projectId: project.id }) }
}

const empty = { instances: [], stacks: [], pipelines: [] }

/** Cloud accounts and code sources, which files name and do not create. */
async function readExternal(reader: Reader): Promise<void> {
  const { client, documents } = reader
  const texts = JSON.stringify(documents)
  const isNamed = (kind: ExternalKind) => documents === undefined || texts?.includes(`{${kind}:`) === true
  if (isNamed('CloudAccount') || reads(reader, 'ExecutionEnvironment', 'Environment')) {
    const accounts = await all((query) => client.listCloudAccounts({ query }))
    for (const { id, givenId } of accounts) addName(reader, id, keyFor('CloudAccount', givenId))
  }
  if (isNamed('CodeSource') || documents?.some(({ kind }) => kind === 'PreviewTemplate')) {
    const sources = await all((query) => client.listCodeSources({ query }))
    for (const { id, repoUrl } of sources) addName(reader, id, keyFor('CodeSource', repoUrl))
  }
}

/** Teams, members and service accounts, which rules, grants and channels name. */
async function readPrincipals(reader: Reader): Promise<void> {
  const { client, state } = reader
  if (reads(reader, 'RoleGrant', 'Policy', 'ApprovalRule', 'NotificationChannel')) {
    const teams = await all((query) => client.listTeams({ query }))
    for (const { id, name } of teams) state.ids.set(`TEAM ${name}`, id)
  }
  if (!reads(reader, 'RoleGrant', 'NotificationChannel')) return
  const members = await all((query) => client.listMemberships({ query }))
  for (const { id, email } of members) state.ids.set(`MEMBERSHIP ${email}`, id)
  if (!reads(reader, 'RoleGrant')) return
  const serviceAccounts = await all((query) => client.listServiceAccounts({ query }))
  for (const { id, name } of serviceAccounts) state.ids.set(`SERVICE_ACCOUNT ${name}`, id)
}

/** Reads the names of a project before the first text that may contain one; without those of preview environments. */
async function readNames(reader: Reader, projectId: string) {
  const { client, environments } = reader
  const query = { projectId }
  for (const one of await all((page) => client.listEnvironments({ query: { ...query, ...page } }))) {
    if (one.previewEnvironmentId !== undefined) continue
    environments.set(one.id, one.givenId)
    addName(reader, one.id, keyFor('Environment', one.givenId))
  }
  const placed = await all((page) => client.listModuleInstances({ query: { ...query, ...page } }))
  const instances = placed.filter(isInProject(reader))
  const ofPreviews = new Set(placed.filter((one) => !instances.includes(one)).map(({ stackId }) => stackId))
  const stacks = (await all((page) => client.listStacks({ query: { ...query, ...page } }))).filter(
    ({ id }) => !ofPreviews.has(id),
  )
  const pipelines = await all((page) => client.listPipelines({ query: { ...query, ...page } }))
  for (const { id, environmentId, givenId } of instances) {
    addName(reader, id, keyFor('ModuleInstance', environments.get(environmentId), givenId))
  }
  for (const { id, givenId } of stacks) addName(reader, id, keyFor('Stack', givenId))
  for (const { id, givenId } of pipelines) addName(reader, id, keyFor('Pipeline', givenId))
  return { instances, stacks, pipelines }
}

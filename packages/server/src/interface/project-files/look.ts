import { allPages } from '@sluice/calls/all-pages'
import type { Client } from '@sluice/client'
import {
  type DefaultNetwork,
  type ModuleDefinition,
  type ModuleInstance,
  type PolicyApproval,
  type ProjectDocument,
  type ProjectDocumentKind,
  projectDocumentKinds,
} from '@sluice/contract'
import { secretField } from '../../notifications/notification-channels/reach.ts'
import { present } from '../../platform/present.ts'
import { type Key, keyFor, keyOf, type Look, type Outside, type Present } from './record.ts'
import { withNames } from './references.ts'

/**
 * What is of interest: the caller may not see all there is, and what nobody wants to know need not be asked. Without
 * documents, everything is.
 */
export type LookWishes = { kinds?: ReadonlySet<ProjectDocumentKind>; documents?: readonly ProjectDocument[] }

/** Looks at a project, and at what else in the organization its files may name. */
export async function lookAt(client: Client, project: string, wishes: LookWishes = {}): Promise<Look> {
  const { kinds = new Set(projectDocumentKinds), documents } = wishes
  const look = { records: new Map(), ids: new Map(), ambiguous: new Set<Key>() }
  const looking: Looking = { client, kinds, documents, look, names: new Map(), environments: new Map() }
  await lookAtOutside(looking)
  await lookAtPrincipals(looking)
  const found = (await all((query) => client.listProjects({ query }))).find(({ givenId }) => givenId === project)
  const inside = found ? await namesInside(looking, found.id) : nothingInside
  await lookAtModules(looking, inside.instances)
  await lookAtKeys(looking)
  await lookAtExecutionEnvironments(looking)
  if (!found) return look
  const { id, givenId, restricted, visibility } = found
  add(looking, id, { kind: 'Project', name: givenId, ...described(found), restricted, visibility })
  await lookAtEnvironments(looking, id)
  await lookAtPlaced(looking, inside)
  await lookAtDefaults(looking, id)
  await lookAtAssignments(looking, id)
  await lookAtDomains(looking, id)
  await lookAtDrift(looking, inside)
  await lookAtPreviewTemplates(looking, id)
  await lookAtRules(looking, id)
  return { ...look, projectId: id }
}

type Looking = {
  client: Client
  kinds: ReadonlySet<ProjectDocumentKind>
  documents: readonly ProjectDocument[] | undefined
  look: Look
  /** By id, of what texts may name. */
  names: Map<string, Key>
  /** What the environments are called, by id. */
  environments: Map<string, string>
}

/** All records of a list, oldest first. */
const all = async <T>(list: Parameters<typeof allPages<T>>[0]): Promise<T[]> => (await allPages(list)).reverse()

function add({ look }: Looking, id: string, document: ProjectDocument, more: Partial<Present> = {}): void {
  const key = keyOf(document)
  if (look.records.has(key)) look.ambiguous.add(key)
  look.records.set(key, { id, document, ...more })
  look.ids.set(key, id)
}

/** Of what texts may name. */
function name({ look, names }: Looking, id: string, key: Key): void {
  look.ids.set(key, id)
  names.set(id, key)
}

const looksAt = ({ kinds }: Looking, ...some: ProjectDocumentKind[]): boolean => some.some((kind) => kinds.has(kind))

type Texts = { name: string; description?: string | undefined }

const described = ({ name, description }: Texts) => ({ title: name, ...(description !== undefined && { description }) })

async function lookAtOutside(looking: Looking): Promise<void> {
  const { client, documents } = looking
  const written = JSON.stringify(documents)
  const isNamed = (kind: Outside) => documents === undefined || written?.includes(`{${kind}:`) === true
  if (isNamed('CloudAccount') || looksAt(looking, 'ExecutionEnvironment', 'Environment')) {
    const found = await all((query) => client.listCloudAccounts({ query }))
    for (const { id, givenId } of found) name(looking, id, keyFor('CloudAccount', givenId))
  }
  if (isNamed('CodeSource') || documents?.some(({ kind }) => kind === 'PreviewTemplate')) {
    const found = await all((query) => client.listCodeSources({ query }))
    for (const { id, repoUrl } of found) name(looking, id, keyFor('CodeSource', repoUrl))
  }
}

const nothingInside = { instances: [], stacks: [], pipelines: [] }

/** Those of pull requests come and go by themselves. */
const environmentsOf = async ({ client }: Looking, projectId: string) =>
  (await all((page) => client.listEnvironments({ query: { projectId, ...page } }))).filter(
    ({ previewEnvironmentId }) => previewEnvironmentId === undefined,
  )

/** Whether something is in the project, or in an environment that files have. */
const standsIn =
  ({ environments }: Looking) =>
  ({ environmentId }: { environmentId?: string }): boolean =>
    environmentId === undefined || environments.has(environmentId)

/** What is in a project: all its names come before the first text that may hold one. */
async function namesInside(looking: Looking, projectId: string) {
  const { client, environments } = looking
  const query = { projectId }
  for (const { id, givenId } of await environmentsOf(looking, projectId)) {
    environments.set(id, givenId)
    name(looking, id, keyFor('Environment', givenId))
  }
  const placed = await all((page) => client.listModuleInstances({ query: { ...query, ...page } }))
  const instances = placed.filter(standsIn(looking))
  const passing = new Set(placed.filter((one) => !instances.includes(one)).map(({ stackId }) => stackId))
  const stacks = (await all((page) => client.listStacks({ query: { ...query, ...page } }))).filter(
    ({ id }) => !passing.has(id),
  )
  const pipelines = await all((page) => client.listPipelines({ query: { ...query, ...page } }))
  for (const { id, environmentId, givenId } of instances) {
    name(looking, id, keyFor('ModuleInstance', environments.get(environmentId), givenId))
  }
  for (const { id, givenId } of stacks) name(looking, id, keyFor('Stack', givenId))
  for (const { id, givenId } of pipelines) name(looking, id, keyFor('Pipeline', givenId))
  return { instances, stacks, pipelines }
}

type Inside = Awaited<ReturnType<typeof namesInside>>

/** The definitions that all projects share, and the versions of those that this one uses. */
async function lookAtModules(looking: Looking, instances: readonly ModuleInstance[]): Promise<void> {
  if (!looksAt(looking, 'ModuleDefinition', 'ModuleVersion', 'ModuleInstance')) return
  const { client, documents = [] } = looking
  const used = new Set(instances.map(({ type }) => type))
  for (const document of documents) {
    if (document.kind === 'ModuleVersion') used.add(document.name)
    if (document.kind === 'ModuleInstance') used.add(document.module)
  }
  for (const definition of await all((query) => client.listModuleDefinitions({ query }))) {
    const { id, type } = definition
    const foreign = ownership(definition)
    add(looking, id, { kind: 'ModuleDefinition', name: type, ...described(definition) }, foreign)
    if (!used.has(type)) continue
    const ofIt = { moduleDefinitionId: id }
    for (const one of await all((page) => client.listModuleVersions({ query: { ...ofIt, ...page } }))) {
      const { version, description } = one
      const config = withNames(one.config, looking.names)
      add(looking, one.id, { kind: 'ModuleVersion', name: type, version, description, config }, foreign)
    }
  }
}

const ownership = ({ organizationId }: ModuleDefinition) =>
  organizationId === undefined ? ({ isForeign: true } as const) : {}

async function lookAtKeys(looking: Looking): Promise<void> {
  if (!looksAt(looking, 'DefaultValueDefinition', 'DefaultValue')) return
  for (const one of await all((query) => looking.client.listDefaultValueDefinitions({ query }))) {
    const { id, key, description, schema, isSensitive } = one
    const said = { ...(description !== undefined && { description }), schema, ...(isSensitive && { isSensitive }) }
    add(looking, id, { kind: 'DefaultValueDefinition', name: key, ...said })
  }
}

/** Where steps may run: texts may name them, as assignments do. */
async function lookAtExecutionEnvironments(looking: Looking): Promise<void> {
  const { client, documents, names } = looking
  const isNamed = JSON.stringify(documents)?.includes('{ExecutionEnvironment:') ?? true
  if (!isNamed && !looksAt(looking, 'ExecutionEnvironment', 'ExecutionAssignment')) return
  for (const one of await all((query) => client.listExecutionEnvironments({ query }))) {
    const { id, givenId, kind: type, cloudAccountId = '', region, network, size, clusterName } = one
    const cloudAccount = names.get(cloudAccountId)?.slice('CloudAccount '.length)
    const place = present({ cloudAccount, region, network, size, clusterName })
    add(looking, id, { kind: 'ExecutionEnvironment', name: givenId, ...described(one), type, ...place })
    name(looking, id, keyFor('ExecutionEnvironment', givenId))
  }
}

/** In which of them steps run; of modules and the whole organization it is not said in files of a project. */
async function lookAtAssignments(looking: Looking, projectId: string): Promise<void> {
  if (!looksAt(looking, 'ExecutionAssignment')) return
  const { client, environments, names } = looking
  for (const parentType of ['project', 'environment'] as const) {
    const parentId = parentType === 'project' ? { parentId: projectId } : {}
    const query = { parentType, ...parentId }
    for (const one of await all((page) => client.listExecutionAssignments({ query: { ...query, ...page } }))) {
      const environment = environments.get(one.parentId)
      if (parentType === 'environment' && environment === undefined) continue
      const executionEnvironment = names.get(one.executionEnvironmentId)?.slice('ExecutionEnvironment '.length)
      if (executionEnvironment === undefined) continue
      add(looking, one.id, { kind: 'ExecutionAssignment', ...present({ environment }), executionEnvironment })
    }
  }
}

async function lookAtDomains(looking: Looking, projectId: string): Promise<void> {
  if (!looksAt(looking, 'Domain')) return
  const { client, environments } = looking
  for (const one of await all((page) => client.listDomains({ query: { projectId, ...page } }))) {
    const environment = environments.get(one.environmentId)
    if (environment === undefined) continue
    const { name: called, description } = one
    add(looking, one.id, { kind: 'Domain', name: called, environment, ...present({ description }) })
  }
}

async function lookAtEnvironments(looking: Looking, projectId: string): Promise<void> {
  const { client, environments } = looking
  for (const one of await environmentsOf(looking, projectId)) {
    const { id, givenId, restricted, visibility } = one
    const { afterRollback, mode } = (await client.getHoldRule({ params: { id } })).data
    const holdAfterRollback = afterRollback && mode === 'WARN' ? mode : afterRollback
    const network = networkIn(looking, (await client.getEnvironmentNetwork({ params: { id } })).data.default)
    const rules = { restricted, visibility, holdAfterRollback, ...present({ network }) }
    add(looking, id, { kind: 'Environment', name: givenId, ...described(one), ...rules })
  }
  const { order } = (await client.getEnvironmentOrder({ params: { id: projectId } })).data
  const ordered = order.flatMap((id) => environments.get(id) ?? [])
  if (ordered.length > 0) add(looking, projectId, { kind: 'EnvironmentOrder', environments: ordered })
}

/** An account that is gone keeps its id, which no file can name: what it was is not taken for the usual. */
function networkIn({ names }: Looking, network: DefaultNetwork | undefined) {
  if (!network) return undefined
  const { cloudAccountId, ...others } = network
  return { cloudAccount: names.get(cloudAccountId)?.slice('CloudAccount '.length) ?? cloudAccountId, ...others }
}

/** Stacks that came with an instance go with it, and are no records of their own. */
async function lookAtPlaced(looking: Looking, { instances, stacks, pipelines }: Inside): Promise<void> {
  const { client, names, environments, look } = looking
  const versions = new Map([...look.records].map(([, { id, document }]) => [id, document]))
  for (const one of instances) {
    const { id, environmentId, givenId, type, moduleVersionId } = one
    const version = versions.get(moduleVersionId)
    add(looking, id, {
      ...{ kind: 'ModuleInstance', name: givenId, environment: environments.get(environmentId) ?? environmentId },
      ...{ ...described(one), module: type },
      ...(version?.kind === 'ModuleVersion' && { version: version.version }),
      input: withNames(one.input, names),
    })
  }
  const owned = new Set(instances.map(({ stackId }) => stackId))
  for (const one of stacks.filter(({ id }) => !owned.has(id))) {
    add(looking, one.id, { kind: 'Stack', name: one.givenId, ...described(one) })
  }
  for (const one of pipelines) {
    const newest = await client.listPipelineVersions({ query: { pipelineId: one.id, limit: 1 } })
    const config = newest.data[0]?.config
    add(looking, one.id, {
      ...{ kind: 'Pipeline', name: one.givenId, ...described(one) },
      ...(config && { config: withNames(config, names) }),
    })
  }
}

/** When stacks are looked at, those of instances included. */
async function lookAtDrift(looking: Looking, { instances, stacks }: Inside): Promise<void> {
  if (!looksAt(looking, 'DriftSchedule')) return
  const { client, names } = looking
  for (const { id, givenId } of stacks) {
    const { schedule } = (await client.getStackDrift({ params: { id } })).data
    if (!schedule) continue
    const { cron, timeZone, pipelineId, reconciles } = schedule
    const of = instances.find(({ stackId, status }) => stackId === id && status !== 'DESTROYED')
    const pipeline = names.get(pipelineId ?? '')?.slice('Pipeline '.length)
    add(looking, id, {
      kind: 'DriftSchedule',
      ...(of ? placeIn(looking, { environmentId: of.environmentId, moduleInstanceId: of.id }) : { stack: givenId }),
      ...{ cron, timeZone, reconciles },
      ...(pipeline !== undefined && { pipeline }),
    })
  }
}

/** By which pull requests get environments. */
async function lookAtPreviewTemplates(looking: Looking, projectId: string): Promise<void> {
  if (!looksAt(looking, 'PreviewTemplate')) return
  const { client, names, environments } = looking
  for (const one of await all((page) => client.listPreviewTemplates({ query: { projectId, ...page } }))) {
    const { id, environmentId, codeSourceId, pipelineId, branches, paths, instances } = one
    const { namePattern, lifetimeHours, mostInProject, allowsForks } = one
    const { repoUrl: source } = (await client.getCodeSource({ params: { id: codeSourceId } })).data
    const pipeline = names.get(pipelineId ?? '')?.slice('Pipeline '.length)
    add(looking, id, {
      ...{ kind: 'PreviewTemplate', environment: environments.get(environmentId) ?? environmentId, source },
      ...{ ...(branches && { branches }), ...(paths && { paths }), ...(instances && { instances }) },
      ...(pipeline !== undefined && { pipeline }),
      ...{ inputs: withNames(one.inputs, names), pipelineInputs: withNames(one.pipelineInputs, names) },
      ...{ namePattern, lifetimeHours, mostInProject, allowsForks },
    })
  }
}

async function lookAtDefaults(looking: Looking, projectId: string): Promise<void> {
  if (!looksAt(looking, 'DefaultValue')) return
  const { client, look, environments } = looking
  const keys = new Map([...look.records.values()].map(({ id, document }) => [id, document]))
  for (const parentId of [projectId, ...environments.keys()]) {
    const environment = environments.get(parentId)
    for (const one of await all((page) => client.listDefaultValues({ query: { parentId, ...page } }))) {
      const key = keys.get(one.defaultValueDefinitionId)
      if (key?.kind !== 'DefaultValueDefinition') continue
      const value = withNames(one.value, looking.names)
      const place = environment === undefined ? {} : { environment }
      const document = { kind: 'DefaultValue', name: key.name, ...place, value } as const
      add(looking, one.id, document, key.isSensitive ? { hidden: 'value' } : {})
    }
  }
}

/** Who may do what, when nothing may be done, and who is told. */
async function lookAtRules(looking: Looking, projectId: string): Promise<void> {
  if (looksAt(looking, 'RoleGrant')) await lookAtGrants(looking, projectId)
  if (looksAt(looking, 'Freeze')) await lookAtFreezes(looking, projectId)
  if (looksAt(looking, 'ApprovalRule')) await lookAtApprovalRules(looking, projectId)
  if (looksAt(looking, 'Policy')) await lookAtPolicies(looking, projectId)
  if (looksAt(looking, 'PromotionRule')) await lookAtPromotionRules(looking, projectId)
  if (looksAt(looking, 'NotificationChannel')) await lookAtChannels(looking, projectId)
}

/** Who can be given a role, and which teams can be asked. */
async function lookAtPrincipals(looking: Looking): Promise<void> {
  const { client, look } = looking
  const { ids } = look
  if (looksAt(looking, 'RoleGrant', 'Policy', 'ApprovalRule', 'NotificationChannel')) {
    for (const one of await all((query) => client.listTeams({ query }))) ids.set(`TEAM ${one.name}`, one.id)
  }
  if (!looksAt(looking, 'RoleGrant', 'NotificationChannel')) return
  for (const { id, email } of await all((query) => client.listMemberships({ query })))
    ids.set(`MEMBERSHIP ${email}`, id)
  if (!looksAt(looking, 'RoleGrant')) return
  for (const one of await all((query) => client.listServiceAccounts({ query }))) {
    ids.set(`SERVICE_ACCOUNT ${one.name}`, one.id)
  }
}

async function lookAtGrants(looking: Looking, projectId: string): Promise<void> {
  const { client, look, environments } = looking
  const principals = new Map([...look.ids].map(([key, id]) => [id, key]))
  const grants = await all((page) => client.listRoleGrants({ query: { projectId, ...page } }))
  for (const one of grants.filter(standsIn(looking))) {
    const { id, principalId, principalType, role, environmentId } = one
    const environment = environmentId === undefined ? undefined : environments.get(environmentId)
    const named = principals.get(principalId)?.slice(principalType.length + 1)
    if (named === undefined) continue
    const place = environment === undefined ? {} : { environment }
    add(looking, id, { kind: 'RoleGrant', name: named, principalType, role, ...place })
  }
}

/** Those of the project and of what is in it. */
async function lookAtFreezes(looking: Looking, projectId: string): Promise<void> {
  const { client } = looking
  const freezes = await all((page) => client.listFreezes({ query: { projectId, ...page } }))
  for (const one of freezes.filter(standsIn(looking))) {
    const { id, reason, window, stops, mode, onRelease, afterwards } = one
    add(looking, id, {
      ...{ kind: 'Freeze', name: one.name, ...placeIn(looking, one) },
      ...(reason !== undefined && { reason }),
      ...{ window, stops, mode, onRelease, afterwards },
    })
  }
}

/** What the narrowest place of a rule is called. */
function placeIn(
  { names, environments }: Looking,
  { environmentId = '', moduleInstanceId = '' }: { environmentId?: string; moduleInstanceId?: string },
): { environment?: string; instance?: string } {
  const environment = environments.get(environmentId)
  const instance = names.get(moduleInstanceId)?.split('/').at(-1)
  return { ...(environment !== undefined && { environment }), ...(instance !== undefined && { instance }) }
}

/** What people call teams, or the addresses of members, by id. */
function principalsIn({ look }: Looking, type: 'TEAM' | 'MEMBERSHIP'): ReadonlyMap<string, string> {
  const found = [...look.ids].filter(([key]) => key.startsWith(`${type} `))
  return new Map(found.map(([key, id]) => [id, key.slice(type.length + 1)]))
}

async function lookAtApprovalRules(looking: Looking, projectId: string): Promise<void> {
  const { client } = looking
  const teams = principalsIn(looking, 'TEAM')
  const rules = await all((page) => client.listApprovalRules({ query: { projectId, ...page } }))
  for (const one of rules.filter(standsIn(looking))) {
    const { id, reason, requiredApprovals, teamIds, notStarter, notAuthor, serviceAccounts } = one
    const { expiresAfterMinutes, rollbacks, guards, mode } = one
    add(looking, id, {
      ...{ kind: 'ApprovalRule', name: one.name, ...placeIn(looking, one), ...present({ reason }) },
      ...{ requiredApprovals, teams: namedIn(teamIds, teams), notStarter, notAuthor, serviceAccounts },
      ...{ ...present({ expiresAfterMinutes }), rollbacks, guards, mode },
    })
  }
}

async function lookAtPolicies(looking: Looking, projectId: string): Promise<void> {
  const { client } = looking
  const teams = principalsIn(looking, 'TEAM')
  const policies = await all((page) => client.listPolicies({ query: { projectId, ...page } }))
  for (const one of policies.filter(standsIn(looking))) {
    const { id, name, guards, description, expression, message, effect, approval, isEnabled, rollbacks, tests } = one
    add(looking, id, {
      ...{ kind: 'Policy', name, ...placeIn(looking, one), guards },
      ...(description !== undefined && { description }),
      ...{ expression, message, effect },
      ...(approval && { approval: askedIn(approval, teams) }),
      ...{ isEnabled, rollbacks, tests },
    })
  }
}

const askedIn = ({ teamIds, ...others }: PolicyApproval, teams: ReadonlyMap<string, string>) => ({
  ...others,
  teams: namedIn(teamIds, teams),
})

/** What is gone keeps its id, which no file can name: without it, anybody might be asked or nobody be told. */
const namedIn = (ids: readonly string[], names: ReadonlyMap<string, string>): string[] =>
  ids.map((id) => names.get(id) ?? id)

async function lookAtPromotionRules(looking: Looking, projectId: string): Promise<void> {
  const { client, environments } = looking
  for (const one of await all((page) => client.listPromotionRules({ query: { projectId, ...page } }))) {
    const { id, fromEnvironmentId, environmentId, reason, soakMinutes, start, mode } = one
    const [from, to] = [environments.get(fromEnvironmentId), environments.get(environmentId)]
    if (from === undefined || to === undefined) continue
    const rules = { ...(reason !== undefined && { reason }), soakMinutes, start, mode }
    add(looking, id, { kind: 'PromotionRule', from, to, ...rules })
  }
}

/** What leads to some kinds is a secret that the service does not tell. */
async function lookAtChannels(looking: Looking, projectId: string): Promise<void> {
  const { client, environments } = looking
  const [teams, members] = [principalsIn(looking, 'TEAM'), principalsIn(looking, 'MEMBERSHIP')]
  const channels = await all((query) => client.listNotificationChannels({ query }))
  for (const one of channels.filter((channel) => channel.projectId === projectId)) {
    const { id, name, kind: type, url, recipients, teamId, format, environmentIds, events } = one
    const { minimumSeverity, enabled, quietHours, digest, timeZone } = one
    const hidden = secretField(type)
    const reach = {
      ...{ url, format, recipients: recipients && namedIn(recipients, members) },
      ...{ team: teamId === undefined ? undefined : (teams.get(teamId) ?? teamId) },
    }
    const named = environmentIds.flatMap((environmentId) => environments.get(environmentId) ?? [])
    const settings = { events, minimumSeverity, environments: named, enabled, quietHours, digest, timeZone }
    const document = { kind: 'NotificationChannel', name, type, ...present(reach), ...settings } as const
    add(looking, id, document, present({ hidden }))
  }
}

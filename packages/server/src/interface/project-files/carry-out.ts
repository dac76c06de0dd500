import { randomUUID } from 'node:crypto'
import { ApiError, type Client, type Retry, retrying } from '@sluice/client'
import { type ProjectDocumentKind, type ProjectDocumentOf, refusals } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import { lookAt } from './look.ts'
import type { Change } from './plan.ts'
import { type Key, keyFor, keyOf, type Look } from './record.ts'
import { withIds } from './references.ts'

/** What changes are carried out with. */
export type Hands = {
  client: Client
  /** The name of the project. */
  project: string
  /** Ids of what is made come to it. */
  look: Look
  /** Whether the infrastructure of instances is changed with them. */
  runStacks: boolean
  /** How long the service may be away. */
  patience: Retry
  say(line: string): void
}

/** What came of a change: an instance that has infrastructure has a run now, which may wait for approval. */
export type Done = { id: string; runId?: string }

/** Does in the service what a change says. While the service is away it is asked again: nothing is done twice. */
export function carryOut(change: Change, hands: Hands): Promise<Done> {
  const key = randomUUID()
  const once = (step: string) => ({ idempotencyKey: `${key}-${step}` })
  return retrying(() => carryOutOnce(change, { ...hands, once }), hands.patience)
}

async function carryOutOnce({ action, document, key, fields, id = '' }: Change, task: Task): Promise<Done> {
  const work = works[document.kind] as Work<ProjectDocumentKind>
  if (action === 'remove') {
    await work.remove?.(id, task).catch(unlessGone)
    return { id }
  }
  if (action === 'change') return (await work.change?.(id, document, new Set(fields), task)) ?? { id }
  const done = await work.create(document, task)
  task.look.ids.set(key, done.id)
  return done
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error
}

type Task = Hands & { once: (step: string) => { idempotencyKey: string } }

type Work<K extends ProjectDocumentKind> = {
  create(document: ProjectDocumentOf<K>, task: Task): Promise<Done>
  /** Absent where nothing of it can change. */
  change?(id: string, document: ProjectDocumentOf<K>, fields: ReadonlySet<string>, task: Task): Promise<Done>
  /** Absent where it is never removed. */
  remove?(id: string, task: Task): Promise<unknown>
}

function idOf({ look }: Task, key: Key): string {
  const id = look.ids.get(key)
  if (id === undefined) throw new Error(`There is no ${key}.`)
  return id
}

function projectOf({ look, project }: Task): string {
  return look.projectId ?? look.ids.get(keyFor('Project', project)) ?? ''
}

const environmentOf = (task: Task, name: string | undefined) =>
  name === undefined ? {} : { environmentId: idOf(task, keyFor('Environment', name)) }

/** With ids for what the texts of a value name. */
const resolved = <T>(task: Task, value: T): T => withIds(value, (key) => idOf(task, key))

type Described = { name: string; title?: string | undefined; description?: string | undefined }

const described = ({ name, title = name, description }: Described) => ({
  name: title,
  ...(description !== undefined && { description }),
})

type Access = { restricted?: boolean | undefined; visibility?: 'ORGANIZATION' | 'MEMBERS' | undefined }

const accessOf = ({ restricted, visibility }: Access) => ({
  ...(restricted !== undefined && { restricted }),
  ...(visibility !== undefined && { visibility }),
})

/** What is to change of the texts that people read. */
const describedAnew = ({ title, description }: Described) => ({
  ...(title !== undefined && { name: title }),
  ...(description !== undefined && { description }),
})

/** The fields of a document that are there. */
function only<T extends object, N extends keyof T>(document: T, names: readonly N[]): Pick<T, N> {
  const there = names.filter((name) => document[name] !== undefined)
  return Object.fromEntries(there.map((name) => [name, document[name]])) as Pick<T, N>
}

/** Of what has no unique name, another may have made the same meanwhile. */
async function orExisting(
  document: ProjectDocumentOf<'ApprovalRule' | 'Freeze' | 'NotificationChannel' | 'Policy'>,
  task: Task,
  make: () => Promise<Done>,
): Promise<Done> {
  const kinds = new Set([document.kind])
  const { records } = await lookAt(task.client, task.project, { kinds, documents: [] })
  const { id } = records.get(keyOf(document)) ?? {}
  return id === undefined ? make() : { id }
}

const works: { [K in ProjectDocumentKind]: Work<K> } = {
  Project: {
    async create(document, { client, once }) {
      const data = { givenId: document.name, ...described(document), ...accessOf(document) }
      return (await client.createProject({ body: { data } }, once('project'))).data
    },
    async change(id, document, _, { client }) {
      const data = { ...describedAnew(document), ...accessOf(document) }
      return (await client.updateProject({ params: { id }, body: { data } })).data
    },
  },

  DefaultValueDefinition: {
    async create({ name: key, ...document }, { client, once }) {
      const data = { key, ...only(document, ['description', 'schema', 'isSensitive']) }
      return (await client.createDefaultValueDefinition({ body: { data } }, once('definition'))).data
    },
    async change(id, document, _, { client }) {
      const data = only(document, ['description', 'schema'])
      return (await client.updateDefaultValueDefinition({ params: { id }, body: { data } })).data
    },
  },

  ExecutionEnvironment: {
    async create(document, task) {
      const { name: givenId, type = 'cloud' } = document
      const data = { givenId, kind: type, ...described(document), ...placeInCloud(document, task) }
      return (await task.client.createExecutionEnvironment({ body: { data } }, task.once('execution-environment'))).data
    },
    async change(id, document, _, task) {
      const data = { ...describedAnew(document), ...placeInCloud(document, task) }
      return (await task.client.updateExecutionEnvironment({ params: { id }, body: { data } })).data
    },
  },

  ExecutionAssignment: {
    async create({ environment, executionEnvironment }, task) {
      const parent =
        environment === undefined
          ? ({ parentType: 'project', parentId: projectOf(task) } as const)
          : ({ parentType: 'environment', parentId: idOf(task, keyFor('Environment', environment)) } as const)
      const executionEnvironmentId = idOf(task, keyFor('ExecutionEnvironment', executionEnvironment))
      const data = { ...parent, executionEnvironmentId }
      return (await task.client.createExecutionAssignment({ body: { data } }, task.once('assignment'))).data
    },
    async change(id, { executionEnvironment }, _, task) {
      const data = { executionEnvironmentId: idOf(task, keyFor('ExecutionEnvironment', executionEnvironment)) }
      return (await task.client.updateExecutionAssignment({ params: { id }, body: { data } })).data
    },
    remove: (id, { client }) => client.deleteExecutionAssignment({ params: { id } }),
  },

  Domain: {
    async create({ name, environment, description }, task) {
      const environmentId = idOf(task, keyFor('Environment', environment))
      const data = { environmentId, name, ...(description !== undefined && { description }) }
      return (await task.client.createDomain({ body: { data } }, task.once('domain'))).data
    },
    remove: (id, { client }) => client.deleteDomain({ params: { id } }),
  },

  Environment: {
    async create(document, task) {
      const { client, once } = task
      const place = { projectId: projectOf(task), givenId: document.name }
      const data = { ...place, ...described(document), ...accessOf(document) }
      const { id } = (await client.createEnvironment({ body: { data } }, once('environment'))).data
      await setHoldRule(id, document, task)
      await setNetwork(id, document, task)
      return { id }
    },
    async change(id, document, fields, task) {
      const data = { ...describedAnew(document), ...accessOf(document) }
      const isOwn = [...fields].some((field) => field !== 'holdAfterRollback' && field !== 'network')
      if (isOwn) await task.client.updateEnvironment({ params: { id }, body: { data } })
      if (fields.has('holdAfterRollback')) await setHoldRule(id, document, task)
      if (fields.has('network')) await setNetwork(id, document, task)
      return { id }
    },
    remove: (id, { client }) => client.deleteEnvironment({ params: { id } }),
  },

  EnvironmentOrder: {
    create: (document, task) => orderEnvironments(document, task),
    change: (_, document, __, task) => orderEnvironments(document, task),
  },

  DefaultValue: {
    async create({ name, environment, value }, task) {
      const parent =
        environment === undefined
          ? ({ parentType: 'project', parentId: projectOf(task) } as const)
          : ({ parentType: 'environment', parentId: idOf(task, keyFor('Environment', environment)) } as const)
      const defaultValueDefinitionId = idOf(task, keyFor('DefaultValueDefinition', name))
      const data = { defaultValueDefinitionId, ...parent, value: resolved(task, value) }
      return (await task.client.createDefaultValue({ body: { data } }, task.once('value'))).data
    },
    async change(id, { value }, _, task) {
      const data = { value: resolved(task, value) }
      return (await task.client.updateDefaultValue({ params: { id }, body: { data } })).data
    },
    remove: (id, { client }) => client.deleteDefaultValue({ params: { id } }),
  },

  ModuleDefinition: {
    async create(document, { client, once }) {
      const { name, description } = described(document)
      const data = { type: document.name, name, description: description ?? '' }
      return (await client.createModuleDefinition({ body: { data } }, once('definition'))).data
    },
    async change(id, document, _, { client }) {
      return (await client.updateModuleDefinition({ params: { id }, body: { data: describedAnew(document) } })).data
    },
  },

  ModuleVersion: {
    async create({ name, version, description = `Version ${version}.`, config }, task) {
      const moduleDefinitionId = idOf(task, keyFor('ModuleDefinition', name))
      const data = { moduleDefinitionId, version, description, config: resolved(task, config) }
      return publishedId((await task.client.createModuleVersion({ body: { data } }, task.once('version'))).data)
    },
  },

  Stack: {
    async create(document, task) {
      const data = { projectId: projectOf(task), givenId: document.name, ...described(document) }
      return (await task.client.createStack({ body: { data } }, task.once('stack'))).data
    },
    async change(id, document, _, { client }) {
      return (await client.updateStack({ params: { id }, body: { data: describedAnew(document) } })).data
    },
    remove: (id, { client }) => client.deleteStack({ params: { id } }),
  },

  ModuleInstance: {
    create(document, task) {
      const data = {
        environmentId: idOf(task, keyFor('Environment', document.environment)),
        givenId: document.name,
        ...described(document),
        ...moduleOf(document, task),
        input: resolved(task, document.input),
      }
      return withRun(task, async (run) => {
        const once = task.once(`instance-${run.runStack === true}`)
        return (await task.client.createModuleInstance({ body: { data: { ...data, ...run } } }, once)).data.id
      })
    },
    async change(id, document, fields, task) {
      const texts = describedAnew(document)
      if (!['module', 'version', 'input'].some((field) => fields.has(field))) {
        return (await task.client.updateModuleInstance({ params: { id }, body: { data: texts } })).data
      }
      const data = { ...texts, ...moduleOf(document, task), input: resolved(task, document.input) }
      return withRun(task, async (run) => {
        await task.client.updateModuleInstance({ params: { id }, body: { data: { ...data, ...run } } })
        return id
      })
    },
    remove: (id, { client }) => client.deleteModuleInstance({ params: { id } }),
  },

  Pipeline: {
    async create(document, task) {
      const data = { projectId: projectOf(task), givenId: document.name, ...described(document) }
      const { id } = (await task.client.createPipeline({ body: { data } }, task.once('pipeline'))).data
      await publishConfig(id, document, task)
      return { id }
    },
    async change(id, document, fields, task) {
      const data = describedAnew(document)
      if (fields.has('title') || fields.has('description')) {
        await task.client.updatePipeline({ params: { id }, body: { data } })
      }
      if (fields.has('config')) await publishConfig(id, document, task)
      return { id }
    },
    remove: (id, { client }) => client.deletePipeline({ params: { id } }),
  },

  DriftSchedule: {
    async create(document, task) {
      const id = await stackOf(document, task)
      await setDriftSchedule(id, document, task)
      return { id }
    },
    async change(id, document, _, task) {
      await setDriftSchedule(id, document, task)
      return { id }
    },
    remove: (id, { client }) => client.updateStackDrift({ params: { id }, body: { data: { schedule: null } } }),
  },

  PreviewTemplate: {
    async create(document, task) {
      const place = {
        projectId: projectOf(task),
        environmentId: idOf(task, keyFor('Environment', document.environment)),
      }
      const codeSourceId = idOf(task, keyFor('CodeSource', document.source))
      const data = { ...place, codeSourceId, ...previewOf(document, task) }
      return (await task.client.createPreviewTemplate({ body: { data } }, task.once('preview-template'))).data
    },
    async change(id, document, _, task) {
      return (await task.client.updatePreviewTemplate({ params: { id }, body: { data: previewOf(document, task) } }))
        .data
    },
    remove: (id, { client }) => client.deletePreviewTemplate({ params: { id } }),
  },

  RoleGrant: {
    async create({ name, principalType, role, environment }, task) {
      const principalId = idOf(task, `${principalType} ${name}`)
      const data = { principalId, role, projectId: projectOf(task), ...environmentOf(task, environment) }
      return (await task.client.createRoleGrant({ body: { data } }, task.once('grant'))).data
    },
    remove: (id, { client }) => client.deleteRoleGrant({ params: { id } }),
  },

  Freeze: {
    create: (document, task) =>
      orExisting(document, task, async () => {
        const data = { ...placeOf(document, task), ...only(document, [...freezeFields, 'name']) }
        return (await task.client.createFreeze({ body: { data } }, task.once('freeze'))).data
      }),
    async change(id, document, _, { client }) {
      return (await client.updateFreeze({ params: { id }, body: { data: only(document, freezeFields) } })).data
    },
    remove: (id, { client }) => client.deleteFreeze({ params: { id } }),
  },

  Policy: {
    create: (document, task) =>
      orExisting(document, task, async () => {
        const { name, guards } = document
        const data = { ...placeOf(document, task), name, guards, ...policyOf(document, task) }
        return (await task.client.createPolicy({ body: { data } }, task.once('policy'))).data
      }),
    async change(id, document, _, task) {
      return (await task.client.updatePolicy({ params: { id }, body: { data: policyOf(document, task) } })).data
    },
    remove: (id, { client }) => client.deletePolicy({ params: { id } }),
  },

  ApprovalRule: {
    create: (document, task) =>
      orExisting(document, task, async () => {
        const data = { ...placeOf(document, task), name: document.name, ...approvalRuleOf(document, task) }
        return (await task.client.createApprovalRule({ body: { data } }, task.once('approval-rule'))).data
      }),
    async change(id, document, _, task) {
      const data = approvalRuleOf(document, task)
      return (await task.client.updateApprovalRule({ params: { id }, body: { data } })).data
    },
    remove: (id, { client }) => client.deleteApprovalRule({ params: { id } }),
  },

  PromotionRule: {
    async create(document, task) {
      const idIn = (name: string) => idOf(task, keyFor('Environment', name))
      const step = { fromEnvironmentId: idIn(document.from), environmentId: idIn(document.to) }
      const data = { ...step, ...only(document, promotionFields) }
      return (await task.client.createPromotionRule({ body: { data } }, task.once('promotion-rule'))).data
    },
    async change(id, document, _, { client }) {
      return (await client.updatePromotionRule({ params: { id }, body: { data: only(document, promotionFields) } }))
        .data
    },
    remove: (id, { client }) => client.deletePromotionRule({ params: { id } }),
  },

  NotificationChannel: {
    create: (document, task) =>
      orExisting(document, task, async () => {
        const { name, type: kind = 'WEBHOOK' } = document
        const data = { projectId: projectOf(task), name, kind, ...channelOf(document, task) }
        const { id } = (await task.client.createNotificationChannel({ body: { data } }, task.once('channel'))).data
        if (kind === 'WEBHOOK') {
          task.say(
            `  Its requests are signed. A secret to check them by: sluice api rotateNotificationChannelSecret id=${id}`,
          )
        }
        return { id }
      }),
    async change(id, document, _, task) {
      const data = channelOf(document, task)
      return (await task.client.updateNotificationChannel({ params: { id }, body: { data } })).data
    },
    remove: (id, { client }) => client.deleteNotificationChannel({ params: { id } }),
  },
}

async function setHoldRule(id: string, { holdAfterRollback }: ProjectDocumentOf<'Environment'>, { client }: Task) {
  if (holdAfterRollback === undefined) return
  const mode = holdAfterRollback === 'WARN' ? 'WARN' : 'ENFORCE'
  const data = { afterRollback: holdAfterRollback !== false, mode } as const
  await client.updateHoldRule({ params: { id }, body: { data } })
}

async function setNetwork(id: string, { network }: ProjectDocumentOf<'Environment'>, task: Task): Promise<void> {
  if (network === undefined) return
  const { cloudAccount, ...others } = network
  const data = { cloudAccountId: idOf(task, keyFor('CloudAccount', cloudAccount)), ...others }
  await task.client.updateEnvironmentNetwork({ params: { id }, body: { data } })
}

function placeInCloud({ cloudAccount, ...document }: ProjectDocumentOf<'ExecutionEnvironment'>, task: Task) {
  const place = only(document, ['region', 'network', 'size', 'clusterName'])
  if (cloudAccount === undefined) return place
  return { cloudAccountId: idOf(task, keyFor('CloudAccount', cloudAccount)), ...place }
}

async function stackOf({ stack, environment, instance }: ProjectDocumentOf<'DriftSchedule'>, task: Task) {
  if (stack !== undefined) return idOf(task, keyFor('Stack', stack))
  const id = idOf(task, keyFor('ModuleInstance', environment, instance))
  const { stackId } = (await task.client.getModuleInstance({ params: { id } })).data
  if (stackId !== undefined) return stackId
  throw new Error(`${environment}/${instance} has no stack yet: run its infrastructure first, then apply again.`)
}

/** What the document leaves out stays as it is. */
async function setDriftSchedule(id: string, document: ProjectDocumentOf<'DriftSchedule'>, task: Task) {
  const { pipeline, cron } = document
  const { schedule: before } = (await task.client.getStackDrift({ params: { id } })).data
  const pipelineId = pipeline === undefined ? before?.pipelineId : idOf(task, keyFor('Pipeline', pipeline))
  const schedule = {
    ...(before && only(before, ['timeZone', 'reconciles'])),
    ...only(document, ['timeZone', 'reconciles']),
    ...(pipelineId !== undefined && { pipelineId }),
    cron,
  }
  await task.client.updateStackDrift({ params: { id }, body: { data: { schedule } } })
}

async function orderEnvironments({ environments }: ProjectDocumentOf<'EnvironmentOrder'>, task: Task): Promise<Done> {
  const id = projectOf(task)
  const order = environments.map((name) => idOf(task, keyFor('Environment', name)))
  await task.client.updateEnvironmentOrder({ params: { id }, body: { data: { order } } })
  return { id }
}

/** Only a dry run answers without an id. */
function publishedId(published: { id: string } | object): Done {
  if ('id' in published) return { id: published.id }
  throw new Error('The service has only checked what was to be published.')
}

function moduleOf({ module, version }: ProjectDocumentOf<'ModuleInstance'>, task: Task) {
  const moduleDefinitionId = idOf(task, keyFor('ModuleDefinition', module))
  if (version === undefined) return { moduleDefinitionId }
  return { moduleDefinitionId, moduleVersionId: idOf(task, keyFor('ModuleVersion', `${module}@${version}`)) }
}

/** Asks for a run as well, which only instances with infrastructure can have. */
async function withRun(task: Task, ask: (run: { runStack?: true }) => Promise<string>): Promise<Done> {
  if (!task.runStacks) return { id: await ask({}) }
  try {
    const id = await ask({ runStack: true })
    const { included } = await task.client.getModuleInstance({ params: { id }, query: { include: ['infrastructure'] } })
    const runId = included?.infrastructure?.latestRunId
    return { id, ...(runId !== undefined && { runId }) }
  } catch (error) {
    const hasNone = error instanceof ApiError && error.error.code === refusals.stackNotAvailable.code
    if (!hasNone) throw error
    return { id: await ask({}) }
  }
}

/** A config that is the newest already, since another has published it meanwhile, is not published again. */
async function publishConfig(pipelineId: string, document: ProjectDocumentOf<'Pipeline'>, task: Task): Promise<void> {
  if (document.config === undefined) return
  const data = { pipelineId, config: resolved(task, document.config) }
  const { data: checked } = await task.client.createPipelineVersion({ body: { data: { ...data, dryRun: true } } })
  const isThere = 'patch' in checked && checked.patch.length === 0 && checked.baseVersion !== undefined
  if (!isThere) await task.client.createPipelineVersion({ body: { data } }, task.once('version'))
}

const promotionFields = ['reason', 'soakMinutes', 'start', 'mode'] as const

const previewFields = [
  ...(['branches', 'paths', 'instances', 'namePattern'] as const),
  ...(['lifetimeHours', 'mostInProject', 'allowsForks'] as const),
] as const

const approvalRuleFields = [
  ...(['reason', 'requiredApprovals', 'notStarter', 'notAuthor', 'serviceAccounts'] as const),
  ...(['expiresAfterMinutes', 'rollbacks', 'guards', 'mode'] as const),
] as const

const channelFields = [
  ...(['url', 'routingKey', 'format', 'events', 'minimumSeverity', 'enabled'] as const),
  ...(['quietHours', 'digest', 'timeZone'] as const),
] as const

const freezeFields = ['reason', 'window', 'stops', 'mode', 'onRelease', 'afterwards'] as const

function previewOf(document: ProjectDocumentOf<'PreviewTemplate'>, task: Task) {
  const { inputs, pipeline, pipelineInputs } = document
  return {
    ...only(document, previewFields),
    ...(inputs !== undefined && { inputs: resolved(task, inputs) }),
    ...(pipeline !== undefined && { pipelineId: idOf(task, keyFor('Pipeline', pipeline)) }),
    ...(pipelineInputs !== undefined && { pipelineInputs: resolved(task, pipelineInputs) }),
  }
}

function placeOf({ environment, instance }: { environment?: string; instance?: string }, task: Task) {
  const place = { projectId: projectOf(task), ...environmentOf(task, environment) }
  if (instance === undefined) return place
  return { ...place, moduleInstanceId: idOf(task, keyFor('ModuleInstance', environment, instance)) }
}

function policyOf(document: ProjectDocumentOf<'Policy'>, task: Task) {
  const { expression, message, approval } = document
  const others = only(document, ['description', 'effect', 'isEnabled', 'rollbacks', 'tests'])
  if (approval === undefined) return { expression, message, ...others }
  const { teams, ...asked } = approval
  const teamIds = teams.map((name) => idOf(task, `TEAM ${name}`))
  return { expression, message, ...others, approval: { ...asked, teamIds } }
}

function approvalRuleOf(document: ProjectDocumentOf<'ApprovalRule'>, task: Task) {
  const { teams } = document
  const teamIds = teams?.map((name) => idOf(task, `TEAM ${name}`))
  return { ...only(document, approvalRuleFields), ...present({ teamIds }) }
}

/** Members are told by what they are, so that one who leaves is written to no more. */
function channelOf(document: ProjectDocumentOf<'NotificationChannel'>, task: Task) {
  const { recipients, team, environments } = document
  return {
    ...only(document, channelFields),
    ...present({
      recipients: recipients?.map((address) => task.look.ids.get(`MEMBERSHIP ${address}`) ?? address),
      teamId: team === undefined ? undefined : idOf(task, `TEAM ${team}`),
      environmentIds: environments?.map((name) => idOf(task, keyFor('Environment', name))),
    }),
  }
}

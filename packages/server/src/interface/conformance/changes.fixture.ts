import { randomInt } from 'node:crypto'
import { type Route, routes } from '@sluice/contract'
import { connectAccount, createInstance } from '../../../demo/organization.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import type { FakeGitHostA } from '../../git/adapter/fakes/githosta.fixture.ts'
import { codeSources } from '../../git/code-sources/tables.ts'
import { githostaInstallations } from '../../git/githosta-installations/tables.ts'
import { identities } from '../../identity/organizations/tables.ts'
import { sessions } from '../../identity/sessions/tables.ts'
import { signInDomains } from '../../identity/sign-in-domains/tables.ts'
import { previewEnvironments } from '../../infrastructure/preview-environments/tables.ts'
import { moduleVersions } from '../../modules/module-definitions/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelineVersions } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { packState } from '../../stacks/iac-states/store.ts'
import { iacStateVersions } from '../../stacks/iac-states/tables.ts'
import { stackWorkspaces } from '../../stacks/stacks/tables.ts'
import type { Client } from '../../testing/client.ts'
import { publishContainerService } from '../../testing/container-service.ts'
import type { startHttpWorld } from '../../testing/http-world.ts'
import { bodyFor, target } from '../../testing/requests.ts'
import { finishedDeployment, type OneOfEverything } from '../../testing/resources.ts'

type Json = Record<string, unknown>

/** Context in which an operation is executed. */
export type Place = {
  db: Db
  world: Awaited<ReturnType<typeof startHttpWorld>>
  hostA: FakeGitHostA
  /** Client of the owner, with one record of everything. */
  client: Client
  everything: OneOfEverything
}

/** Changes to the default request: another path, additional fields. */
export type Prepared = { path?: string; data?: Json }
type OperationName = keyof typeof routes
type Scenarios = Partial<Record<OperationName, (place: Place) => Promise<Prepared>>>

/** Preparations for operations that need more than one record of everything. */
export const scenarios: Scenarios = {
  deleteOrganization: async () => ({ data: { name: 'Acme' } }),
  cancelOrganizationDeletion: async ({ client, everything }) => {
    await client.done('POST', `/organizations/${everything.organizationId}/deletion`, { data: { name: 'Acme' } })
    return {}
  },
  connectCloudAccount: async ({ client }) => {
    const account = await client.done<{ id: string }>('POST', '/cloud-accounts', {
      data: { givenId: 'new', name: 'New' },
    })
    const roleArn = `arn:aws:iam::${randomInt(1e11, 1e12)}:role/sluice`
    return { path: `/cloud-accounts/${account.id}/connect`, data: { roleArn } }
  },
  createCodeSource: async ({ db, hostA, everything }) => {
    const name = `acme/${newId('req')}`
    const id = hostA.repositories.length + 1
    hostA.installations.set(42, { login: 'acme', id: 70, type: 'Organization' })
    hostA.repositories.push({ id, name, isPrivate: false, branches: ['main'], installations: [42] })
    const claim = { githostaInstallationId: '42', accountName: 'acme', claimedById: idOf(everything, 'memberships') }
    const { organizationId } = everything
    await db.insert(githostaInstallations).values({ id: newId('gha'), organizationId, ...claim })
    const repoUrl = `https://${new URL(hostA.url).host}/${name}`
    return { data: { type: 'GITHOSTA', repoUrl, githostaInstallationId: '42' } }
  },
  createRunnerToken: async ({ client }) => {
    const data = { givenId: 'pool', name: 'Pool', kind: 'runners' }
    const pool = await client.done<{ id: string }>('POST', '/execution-environments', { data })
    return { data: { executionEnvironmentId: pool.id, name: 'One' } }
  },
  createDeployment: async ({ db, everything }) => ({
    data: { moduleInstanceId: await deployable(db, everything), description: 'x', inputs: { image_ref: 'web:2' } },
  }),
  createRehearsal: async ({ db, everything }) => ({
    data: { moduleInstanceId: await deployable(db, everything), inputs: { image_ref: 'web:2' } },
  }),
  promoteDeployment: async ({ db, everything }) => {
    const { path, data } = await deploymentThat(db, everything, 'promote', 'SUCCESS')
    const moduleInstanceId = await deployable(db, everything)
    // Both are of the same module.
    const [there] = await db.select().from(moduleInstances).where(eq(moduleInstances.id, moduleInstanceId))
    if (!there) throw new Error('the instance was not made')
    const { moduleDefinitionId, moduleVersionId } = there
    const here = eq(moduleInstances.id, idOf(everything, 'module-instances'))
    await db.update(moduleInstances).set({ moduleDefinitionId, moduleVersionId }).where(here)
    return { path, data: { ...data, moduleInstanceId } }
  },
  continueDeployment: ({ db, everything }) => deploymentThat(db, everything, 'continue', 'IN_PROGRESS'),
  approveDeployment: ({ db, everything }) => deploymentThat(db, everything, 'approve', 'PENDING'),
  approvePipelineVersion: ({ db, everything }) => versionAskedAbout(db, everything),
  withdrawPipelineVersionApproval: async ({ db, everything, client }) => {
    const { path } = await versionAskedAbout(db, everything)
    await client.done('POST', path, { data: {} })
    return { path: path.replace(/approve$/, 'withdraw-approval') }
  },
  rejectDeployment: ({ db, everything }) => deploymentThat(db, everything, 'reject', 'PENDING'),
  withdrawDeploymentApproval: async ({ db, everything, client }) => {
    const { path } = await deploymentThat(db, everything, 'approve', 'PENDING')
    await client.done('POST', path, { data: {} })
    return { path: path.replace(/approve$/, 'withdraw-approval') }
  },
  createApprovalDelegation: async ({ everything }) => {
    const until = new Date(Date.now() + 3_600_000).toISOString()
    return { data: { delegateId: idOf(everything, 'memberships'), until } }
  },
  createPromotionRule: async ({ client, everything }) => {
    const data = { projectId: idOf(everything, 'projects'), givenId: 'later', name: 'Later' }
    const { id: environmentId } = await client.done<{ id: string }>('POST', '/environments', { data })
    return { data: { fromEnvironmentId: idOf(everything, 'environments'), environmentId } }
  },
  updatePromotionRule: async () => ({ data: { soakMinutes: 5 } }),
  deletePreviewTemplate: async ({ client, everything }) => {
    const data = {
      projectId: idOf(everything, 'projects'),
      environmentId: idOf(everything, 'environments'),
      codeSourceId: idOf(everything, 'code-sources'),
    }
    const { id } = await client.done<{ id: string }>('POST', '/preview-templates', { data })
    return { path: `/preview-templates/${id}` }
  },
  createWatchedRepository: async ({ client, everything }) => {
    const project = { data: { givenId: 'watched', name: 'Watched' } }
    const { id: projectId } = await client.done<{ id: string }>('POST', '/projects', project)
    const serviceAccountId = idOf(everything, 'service-accounts')
    return { data: { projectId, codeSourceId: idOf(everything, 'code-sources'), serviceAccountId, branch: 'main' } }
  },
  updateWatchedRepository: async () => ({ data: { path: 'files' } }),
  applyWatchedRepository: async () => ({ data: { planDigest: 'one' } }),
  retryPreviewEnvironment: async ({ db, everything }) => {
    const id = idOf(everything, 'preview-environments')
    await db.update(previewEnvironments).set({ status: 'FAILED' }).where(eq(previewEnvironments.id, id))
    return {}
  },
  updateApprovalRule: async () => ({ data: { name: 'Renamed' } }),
  cancelDeployment: ({ db, everything }) => deploymentThat(db, everything, 'cancel', 'PENDING'),
  rollbackDeployment: async ({ db, everything }) => {
    const { path } = await deploymentThat(db, everything, 'rollback', 'SUCCESS')
    return { path, data: {} }
  },
  createWebhookSecret: async ({ db, everything }) => {
    const change = { type: 'GITHOSTB', auth: { kind: 'none' } } as const
    await db
      .update(codeSources)
      .set(change)
      .where(eq(codeSources.id, idOf(everything, 'code-sources')))
    return {}
  },
  restoreIacState: async ({ db, world, everything }) => {
    const state = { version: 4, terraform_version: '1.0.0', serial: 1, lineage: 'l', outputs: {}, resources: [] }
    const packed = await packState(world.seal, everything.organizationId, Buffer.from(JSON.stringify(state)))
    if (!packed) throw new Error('this is no state')
    const known = eq(iacStateVersions.id, idOf(everything, 'iac-state-versions'))
    await db.update(iacStateVersions).set(packed).where(known)
    const workspace = eq(stackWorkspaces.id, idOf(everything, 'stack-workspaces'))
    await db.update(stackWorkspaces).set({ latestStateSequence: 1 }).where(workspace)
    return { path: `/iac-state-versions/${packed.id}/restore` }
  },
  breakStateLock: async ({ db, everything }) => {
    const lock = { id: 'lock', operation: 'plan', heldBy: 'Ada', since: new Date().toISOString() }
    const id = idOf(everything, 'stack-workspaces')
    await db.update(stackWorkspaces).set({ lock }).where(eq(stackWorkspaces.id, id))
    return {}
  },
  updateModuleDefinition: async () => ({ data: { name: 'Renamed' } }),
  createModuleInstance: async ({ everything }) => ({
    data: {
      givenId: 'new',
      name: 'New',
      input: {},
      environmentId: idOf(everything, 'environments'),
      moduleDefinitionId: idOf(everything, 'module-definitions'),
    },
  }),
  applyModuleInstances: async ({ db, everything }) => {
    const config = { inputs: [], stack: stackBlock }
    const version = eq(moduleVersions.id, idOf(everything, 'module-versions'))
    await db.update(moduleVersions).set({ config }).where(version)
    return { data: { ids: [idOf(everything, 'module-instances')] } }
  },
  cancelPipelineRun: async ({ db, everything }) => {
    const id = await runInWork(db, everything)
    return { path: `/pipeline-runs/${id}/cancel` }
  },
  retryPipelineRun: async ({ db, everything }) => {
    const id = await runInWork(db, everything)
    await db
      .update(pipelineRuns)
      .set({ status: 'ERROR', wakeAt: null, deadlineAt: null, waitingFor: null })
      .where(eq(pipelineRuns.id, id))
    return { path: `/pipeline-runs/${id}/retry` }
  },
  approvePipelineStepExecution: ({ db, everything }) => stepToDecide(db, everything, 'approve'),
  rejectPipelineStepExecution: ({ db, everything }) => stepToDecide(db, everything, 'reject'),
  withdrawPipelineStepApproval: async (place) => {
    const { path = '' } = await stepToDecide(place.db, place.everything, 'approve')
    // One approval is not sufficient, so that the step still waits.
    const rule = { data: { name: 'Two', guards: ['STEPS'], requiredApprovals: 2 } }
    await place.client.done('POST', '/approval-rules', rule)
    await place.client.done('POST', path)
    return { path: path.replace(/approve$/, 'withdraw-approval') }
  },
  updateStackDrift: stackToLookAt,
  checkStackDrift: async (place) => {
    const { path = '', data = {} } = await stackToLookAt(place)
    await place.client.done('PATCH', path, { data })
    return { path: `${path}/check` }
  },
  updateNotificationChannel: async () => ({ data: { name: 'Renamed' } }),
  createPolicy: async () => ({
    data: { name: 'One', guards: 'DEPLOYMENTS', expression: 'true', message: 'One.' },
  }),
  createPolicyOverride: async ({ everything }) => ({
    data: { reason: 'The shop is down.', moduleInstanceId: idOf(everything, 'module-instances') },
  }),
  updatePolicy: async () => ({ data: { name: 'Renamed' } }),
  updateFreeze: async () => ({ data: { name: 'Renamed' } }),
  updateDefaultValue: async () => ({ data: { value: 2 } }),
  updateEnvironmentOrder: async ({ everything }) => ({ data: { order: [idOf(everything, 'environments')] } }),
  updatePriceList: async () => ({ data: { currency: 'EUR', prices: [{ resourceType: 'disk', monthly: '1' }] } }),
  updateFavourites: async ({ everything }) => ({ data: { ids: [idOf(everything, 'projects')] } }),
  updateSavedViews: async () => ({
    data: { page: 'DEPLOYMENTS', views: [{ name: 'Failures', search: 'status=ERROR', isShared: true }] },
  }),
  updateInbox: async () => ({ data: { seenUntil: '2026-01-01T00:00:00.000Z' } }),
  updateNotificationSettings: async () => ({ data: { digest: 'DAILY' } }),
  updateMembership: async () => ({ data: { role: 'DEVELOPER' } }),
  deleteSession: async ({ db, client, everything: { organizationId } }) => {
    const { membershipId } = await client.done<{ membershipId: string }>('GET', '/auth/whoami')
    const [id, tokenHash] = [newId('ses'), newId('req')]
    const [identity] = await db.select().from(identities).limit(1)
    const expiresAt = new Date(Date.now() + 60_000)
    const session = { organizationId, membershipId, identityId: identity?.id ?? '', tokenHash, expiresAt }
    await db.insert(sessions).values({ id, ...session })
    return { path: `/sessions/${id}` }
  },
  createIdentityProvider: async ({ client, everything }) => {
    await client.ask('DELETE', `/identity-providers/${idOf(everything, 'identity-providers')}`) // there is at most one
    return {}
  },
  createSignInDomain: async () => ({ data: { domain: `${newId('req').replace('_', '-')}.example` } }),
  verifySignInDomain: async ({ db, everything }) => {
    const challenge = 'proven' // value that the test environment's DNS returns for every name
    const id = idOf(everything, 'sign-in-domains')
    await db.update(signInDomains).set({ challenge }).where(eq(signInDomains.id, id))
    return {}
  },
  updateSignInPolicy: async () => ({ data: { passwordSignIn: 'ALLOWED' } }),
  // Records with dependents cannot be deleted, so that another one is created first.
  deleteCloudAccount: anotherIs('cloud-accounts'),
  deleteDefaultValueDefinition: anotherIs('default-value-definitions'),
  deleteEnvironment: anotherIs('environments'),
  deleteModuleDefinition: anotherIs('module-definitions'),
  deleteModuleVersion: anotherIs('module-versions'),
  deleteProject: anotherIs('projects'),
  deleteStack: anotherIs('stacks'),
}

const idOf = ({ byPath }: OneOfEverything, resource: string): string => byPath[resource] ?? ''

function anotherIs(resource: string) {
  return async (place: Place): Promise<Prepared> => ({ path: `/${resource}/${await another(resource, place)}` })
}

/** Creates another record without dependents and returns its id. */
export async function another(resource: string, place: Place): Promise<string> {
  const { client, everything } = place
  const create = (Object.values(routes) as Route[]).find(
    ({ method, path }) => method === 'POST' && path === `/${resource}`,
  )
  if (!create) throw new Error(`nothing makes ${resource}`)
  const { data }: Prepared = (await scenarios[create.operationId as OperationName]?.(place)) ?? {}
  const body = data ? { data } : bodyFor(create, everything)
  const { id } = await client.done<{ id: string }>('POST', target(create, everything), body)
  return id
}

const stackBlock = {
  type: 'iac',
  service_state_backend_workspace: 'one',
  pipelines: {
    change: { pipeline_id: null },
    destroy: { pipeline_id: null },
    defaults: {
      variant: 'standard',
      input: {
        stack_id: '<< stack.id >>',
        tool: 'iac',
        repo: 'https://git.example.com/acme/modules',
        ref: 'one@1.0.0',
        branch: null,
        base_path: 'one',
        iac_variables: {},
      },
    },
  },
}

/** Creates a module instance that can be deployed, in a connected cloud account. */
async function deployable(db: Db, everything: OneOfEverything): Promise<string> {
  const { organizationId } = everything
  const version = await publishContainerService(db, organizationId)
  const account = String(randomInt(1e11, 1e12))
  await connectAccount(db, organizationId, {
    givenId: 'connected',
    name: 'Connected',
    roleArn: `arn:aws:iam::${account}:role/sluice`,
    externalId: account,
    eventSecret: account,
  })
  const ecs = `arn:aws:ecs:eu-west-1:${account}`
  return createInstance(db, {
    organizationId,
    projectId: idOf(everything, 'projects'),
    environmentId: idOf(everything, 'environments'),
    givenId: 'deployable',
    name: 'Deployable',
    version,
    input: { cluster_arn: `${ecs}:cluster/main`, service_arn: `${ecs}:service/main/one`, family: 'one' },
  })
}

type Verb = 'approve' | 'reject' | 'continue' | 'cancel' | 'rollback' | 'promote'

/** Inserts a deployment with this status, and with a waiting pause if it is active. */
async function deploymentThat(
  db: Db,
  everything: OneOfEverything,
  verb: Verb,
  status: 'PENDING' | 'IN_PROGRESS' | 'SUCCESS',
) {
  const id = newId('dep')
  const later = new Date(Date.now() + 3_600_000)
  const waits = { wakeAt: later, deadlineAt: later, waitingFor: 'somebody' }
  const hook = { hookId: 'hook_1', timeoutAction: 'ROLLBACK', state: 'waiting' } as const
  await db.insert(deployments).values({
    ...finishedDeployment,
    id,
    inputs: { image_ref: 'web:2' },
    organizationId: everything.organizationId,
    moduleInstanceId: idOf(everything, 'module-instances'),
    projectId: idOf(everything, 'projects'),
    environmentId: idOf(everything, 'environments'),
    status,
    progress: { ...finishedDeployment.progress, hooks: status === 'IN_PROGRESS' ? [hook] : [] },
    ...(status !== 'SUCCESS' && waits),
  })
  return { path: `/deployments/${id}/${verb}`, data: {} }
}

/** Inserts a version by another author, for which a policy requires approval. */
async function versionAskedAbout(db: Db, everything: OneOfEverything) {
  const id = newId('plv')
  const verdict = { policyId: idOf(everything, 'policies'), version: 1, name: 'Ask', verdict: 'VIOLATED' } as const
  await db.insert(pipelineVersions).values({
    id,
    organizationId: everything.organizationId,
    pipelineId: idOf(everything, 'pipelines'),
    version: 1 + randomInt(1e6),
    config: { steps: [] },
    policies: [{ ...verdict, effect: 'REQUIRE_APPROVAL' }],
  })
  return { path: `/pipeline-versions/${id}/approve`, data: {} }
}

/** Inserts an active run. */
async function runInWork(db: Db, everything: OneOfEverything): Promise<string> {
  const id = newId('run')
  const later = new Date(Date.now() + 3_600_000)
  await db.insert(pipelineRuns).values({
    id,
    organizationId: everything.organizationId,
    pipelineId: idOf(everything, 'pipelines'),
    pipelineVersionId: idOf(everything, 'pipeline-versions'),
    inputs: {},
    status: 'IN_PROGRESS',
    triggerSource: 'API',
    triggeredBy: 'Ada',
    wakeAt: later,
    deadlineAt: later,
    waitingFor: 'its steps',
  })
  return id
}

/** Creates a stack with a pipeline that only detects drift. */
async function stackToLookAt({ client }: Place): Promise<Prepared> {
  const project = { data: { givenId: 'network', name: 'Network' } }
  const named = { projectId: (await client.done<{ id: string }>('POST', '/projects', project)).id, ...project.data }
  const stack = await client.done<{ id: string }>('POST', '/stacks', { data: named })
  const { id: pipelineId } = await client.done<{ id: string }>('POST', '/pipelines', { data: named })
  const look = { id: 'look', type: 'iac:drift', with: { stack: 'network', source: { files: { 'main.tf': '' } } } }
  await client.done('POST', '/pipeline-versions', { data: { pipelineId, config: { steps: [look] } } })
  return { path: `/stacks/${stack.id}/drift`, data: { schedule: { cron: '0 * * * *', timeZone: 'UTC', pipelineId } } }
}

async function stepToDecide(db: Db, everything: OneOfEverything, verb: 'approve' | 'reject'): Promise<Prepared> {
  const id = newId('step')
  const [row] = await db
    .select()
    .from(pipelineStepExecutions)
    .where(eq(pipelineStepExecutions.id, idOf(everything, 'pipeline-step-executions')))
  if (!row) throw new Error('there is no step execution to copy')
  await db.insert(pipelineStepExecutions).values({ ...row, id, stepId: id, status: 'PENDING_APPROVAL' })
  return { path: `/pipeline-step-executions/${id}/${verb}`, data: { comment: 'Fine.' } }
}

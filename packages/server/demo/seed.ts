import { type BucketLocationConstraint, CreateBucketCommand } from '@aws-sdk/client-s3'
import { type CloudClients, openCloud } from '../src/cloud/adapter/access.ts'
import { cloudAccounts } from '../src/cloud/cloud-accounts/tables.ts'
import type { RunnerTaskSettings } from '../src/cloud/execution-environments/machine.ts'
import { checkSetup } from '../src/cloud/execution-environments/setup.ts'
import { executionEnvironments } from '../src/cloud/execution-environments/tables.ts'
import { codeSources } from '../src/git/code-sources/tables.ts'
import { organizations } from '../src/identity/organizations/tables.ts'
import { moduleInstances } from '../src/modules/module-instances/tables.ts'
import { pipelines } from '../src/pipelines/pipelines/tables.ts'
import { hashOf } from '../src/platform/auth/token.ts'
import { and, eq } from '../src/platform/db/drizzle.ts'
import type { Db } from '../src/platform/db/open.ts'
import { newId } from '../src/platform/ids.ts'
import { createService, createStage, logGroupOf, type ServiceInput, shopNetwork, shopRoles } from './cloud.ts'
import { createFunction } from './functions.ts'
import { demoRepository } from './git-host.ts'
import { createMachineGroup } from './machines.ts'
import {
  adoptStack,
  type Connection,
  connectAccount,
  createCloudEnvironment,
  createInstance,
  createPipeline,
  createProject,
  createStack,
  type DemoModule,
  demoModules,
  type PublishedVersion,
  publishModule,
  readModule,
} from './organization.ts'
import { type MakeRole, makeRunnerSetup, runnerNetwork } from './runners.ts'
import { createSite, type Site, serve, uploadRelease } from './site.ts'

const region = 'eu-west-1'

/** Returns a pause of one day, the default of the cloud, in minutes. */
const pauseAt = (stage: string) => [{ stage, timeout_in_minutes: 1_440, timeout_action: 'ROLLBACK' }]

/** Services of the demo, one for each strategy. */
const services = [
  {
    name: 'web',
    description: 'Canary: 10 % of the traffic first, with an approval before each shift.',
    input: {
      strategy: 'canary',
      bake_time_in_minutes: 5,
      canary_percent: 10,
      canary_bake_time_in_minutes: 2,
      pause_stages: pauseAt('PRE_PRODUCTION_TRAFFIC_SHIFT'),
    },
  },
  {
    name: 'api',
    description: 'Blue/green: checked on the test listener, then all traffic shifts at once.',
    input: { strategy: 'blue_green', bake_time_in_minutes: 5, pause_stages: pauseAt('POST_TEST_TRAFFIC_SHIFT') },
  },
  {
    name: 'jobs',
    description: 'Linear: 25 % of the traffic per step, with an approval before each step.',
    input: {
      strategy: 'linear',
      bake_time_in_minutes: 5,
      step_percentage: 25,
      step_bake_time_in_minutes: 2,
      pause_stages: pauseAt('PRE_PRODUCTION_TRAFFIC_SHIFT'),
    },
  },
  { name: 'worker', description: 'Rolling: tasks are replaced one after the other.', input: { strategy: 'rolling' } },
] as const

/**
 * Sluice itself waits between the traffic shifts of a function. Its clock is not accelerated, so the pauses are short.
 */
const thumbnails = {
  name: 'thumbnails',
  description: 'Function, canary: an approval before the first 10 % of the calls, then checks of its errors.',
  input: {
    strategy: 'canary',
    bake_time_in_minutes: 1,
    canary_percent: 10,
    canary_bake_time_in_minutes: 1,
    pause_stages: pauseAt('PRE_PRODUCTION_TRAFFIC_SHIFT'),
    max_errors: 5,
  },
} as const

/** Service that the demo's repository builds. Its releases pause only once, so that a demo takes a few minutes. */
const greeting = {
  name: 'greeting',
  description: 'Function, built on each push: an approval of the plan, and another one of the canary.',
  input: {
    strategy: 'canary',
    bake_time_in_minutes: 0,
    canary_percent: 10,
    canary_bake_time_in_minutes: 1,
    pause_stages: pauseAt('PRE_PRODUCTION_TRAFFIC_SHIFT'),
  },
} as const

/** Auto Scaling group of the demo. */
const workers = {
  name: 'workers',
  description: 'Machine group: one machine at a time, with a rollback if one fails.',
  input: { concurrency_max: '1', errors_max: '0', automatic_rollback: true },
} as const
/** Execution environment whose steps run as tasks in the account. It has no assignments. */
const tasks = {
  givenId: 'account',
  name: 'Simulated account',
  description: 'Steps as container tasks, which the simulated cloud carries out as processes on this machine.',
} as const
/** Site of the demo. The first release is served, the second can be deployed. */
const site = {
  name: 'docs-site',
  description: 'Static site: each release is a directory, and one of them is served.',
} as const
const siteReleases = ['releases/1', 'releases/2']

/** IDs of the demo's module instances by name. */
export type DemoInstances = Record<
  (typeof services | [typeof thumbnails, typeof greeting, typeof workers, typeof site])[number]['name'],
  string
>

/** Cloud resources that exist before the organization. */
type DemoPlaces = { services: ServiceInput[]; functionArn: string; builtFunctionArn: string; site: Site }

type Place = { account: string; region: string }

export type DemoCloud = RunnerTaskSettings & {
  endpoint: string
  control: MakeRole & { putNetwork: (network: typeof shopNetwork & Place) => Promise<unknown> }
  connection: Connection
  /** Called before anything is created, so that an interrupted start can be repeated. */
  empty: () => Promise<void>
}

/** Git host of the demo and the secret of its webhook. */
export type DemoGit = { url: string; webhookSecret: string }

export type Demo = {
  cloudAccountId: string
  instances: DemoInstances
  releasePipelineId: string
  /** Code source of the repository at the demo's git host. */
  codeSourceId: string | undefined
}

/** Returns the demo and creates it on the first start. */
export async function seedDemo(db: Db, cloud: DemoCloud, git: DemoGit | undefined): Promise<Demo> {
  const [organization] = await db.select().from(organizations).where(eq(organizations.givenId, 'demo'))
  if (!organization)
    throw new Error('This data directory belongs to a service that is not the demo. npm run reset starts over.')
  const there = await findDemo(db, organization.id)
  if (there) {
    if (git) await moveRepository(db, organization.id, git)
    return there
  }

  await cloud.empty()
  const places = await buildCloud(organization.id, cloud)
  // Written last and in one transaction: while the database is empty, the demo is created again from the start.
  const demo = await db.transaction((tx) => buildOrganization(tx, organization.id, cloud.connection, places, git))
  await makeReady(db, organization.id, cloud)
  return demo
}

/** Marks the execution environment as checked, so that steps can run as tasks. */
async function makeReady(db: Db, organizationId: string, { endpoint, ...settings }: DemoCloud): Promise<void> {
  const cloud = openCloud({ endpoint })
  const named = and(
    eq(executionEnvironments.organizationId, organizationId),
    eq(executionEnvironments.givenId, tasks.givenId),
  )
  const [row] = await db.select().from(executionEnvironments).where(named)
  if (row) await checkSetup({ cloud, clock: () => new Date(), ...settings }, db, row)
  cloud.close()
}

async function findDemo(db: Db, organizationId: string): Promise<Demo | undefined> {
  const [account] = await db.select().from(cloudAccounts).where(eq(cloudAccounts.organizationId, organizationId))
  if (!account) return undefined
  const rows = await db.select().from(moduleInstances).where(eq(moduleInstances.organizationId, organizationId))
  const named = and(eq(pipelines.organizationId, organizationId), eq(pipelines.givenId, 'release'))
  const [release] = await db.select().from(pipelines).where(named)
  if (!release) throw new Error('This data directory has an older demo. npm run reset starts over.')
  const instances = byName(rows.map(({ givenId, id }) => [givenId, id]))
  const [source] = await db.select().from(codeSources).where(isRepository(organizationId))
  return { cloudAccountId: account.id, instances, releasePipelineId: release.id, codeSourceId: source?.id }
}

const isRepository = (organizationId: string) =>
  and(eq(codeSources.organizationId, organizationId), eq(codeSources.repoName, demoRepository.name))

const addressOf = ({ url }: DemoGit) => `https://${new URL(url).host}/${demoRepository.name}`

/** Updates the address of the git host, whose port can differ from the last start. */
async function moveRepository(db: Db, organizationId: string, git: DemoGit): Promise<void> {
  await db
    .update(codeSources)
    .set({ repoUrl: addressOf(git) })
    .where(isRepository(organizationId))
}

const byName = (entries: [string, string][]) => Object.fromEntries(entries) as DemoInstances

async function buildCloud(organizationId: string, { endpoint, control, connection }: DemoCloud): Promise<DemoPlaces> {
  const { roleArn, externalId } = connection
  const cloud = openCloud({ endpoint })
  const clients = cloud.clientsFor({ id: 'demo', organizationId, roleArn, externalId }, region)
  const stage = await createStage(clients, 'shop')
  await control.putNetwork({ account: stage.accountNumber, region, ...shopNetwork })
  const roles = shopRoles(stage.accountNumber, [thumbnails.name, greeting.name])
  for (const role of roles) await control.putRole(role)
  const inputs: ServiceInput[] = []
  for (const { name, input } of services) {
    const strategy = input.strategy === 'rolling' ? null : { type: input.strategy }
    inputs.push(await createService(clients, stage, { name, strategy, image: `registry.example/shop/${name}:1.0.0` }))
  }
  const functionArn = await createFunction(clients.lambda, {
    name: thumbnails.name,
    accountNumber: stage.accountNumber,
    code: { S3Bucket: artifactBucketOf(thumbnails.name), S3Key: '1.0.0.zip' },
  })
  const builtFunctionArn = await buildBuilt(clients, stage.accountNumber)
  await createMachineGroup(clients, { name: workers.name, size: 3, runtime: 'container' })
  await makeRunnerSetup({ clients, control }, { roleArn, region })
  const madeSite = await buildSite(clients, organizationId)
  cloud.close()
  return { services: inputs, functionArn, builtFunctionArn, site: madeSite }
}

/**
 * Creates a function and then the bucket for builds. Before the bucket exists, the simulated cloud finds any archive.
 */
async function buildBuilt({ lambda, storage }: CloudClients, accountNumber: string): Promise<string> {
  const Bucket = artifactBucketOf(greeting.name)
  const code = { S3Bucket: Bucket, S3Key: 'first.zip' }
  const functionArn = await createFunction(lambda, { name: greeting.name, accountNumber, code })
  const LocationConstraint = region as BucketLocationConstraint
  await storage.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint } }))
  return functionArn
}

/** Name of the bucket as in the module's stack. */
const artifactBucketOf = (functionName: string) => `artifacts-${functionName}`

async function buildSite(clients: CloudClients, organizationId: string): Promise<Site> {
  // Bucket names are global.
  const made = await createSite(clients, `${site.name}-${organizationId.slice(-8)}`, region)
  for (const prefix of siteReleases) {
    const page = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1><p>From ${prefix}.</p>`
    await uploadRelease(clients, made.bucket, prefix, { 'index.html': page('Docs'), '404.html': page('Not found') })
  }
  await serve(clients, made.keyvaluestore_arn, siteReleases[0] ?? '')
  return made
}

/** Returns the parts of a service that exist before its stack. */
const existingOf = ({ strategy: _, ...existing }: ServiceInput): Omit<ServiceInput, 'strategy'> => existing

/** Returns the outputs that an apply of the module's stack would have for them. */
const outputsOf = ({ cluster_arn, service_arn, ...rest }: Omit<ServiceInput, 'strategy'>) => ({
  ...rest,
  ecs_cluster_arn: cluster_arn,
  ecs_service_arn: service_arn,
  log_group: logGroupOf(rest.family),
})

async function buildOrganization(
  tx: Db,
  organizationId: string,
  connection: Connection,
  places: DemoPlaces,
  git: DemoGit | undefined,
): Promise<Demo> {
  const cloudAccountId = await connectAccount(tx, organizationId, connection)
  await createCloudEnvironment(tx, organizationId, { ...tasks, cloudAccountId, region, network: runnerNetwork })
  const { projectId, environmentIds } = await createProject(tx, organizationId, {
    givenId: 'shop',
    name: 'Shop',
    environmentNames: ['staging', 'production'],
  })
  const environmentId = environmentIds[1] ?? ''
  const versions = new Map<DemoModule, PublishedVersion>()
  for (const [type, about] of Object.entries(demoModules) as [DemoModule, (typeof demoModules)[DemoModule]][]) {
    versions.set(type, await publishModule(tx, organizationId, { type, ...about, config: await readModule(type) }))
  }
  const instances: [string, string][] = []
  for (const { type, name, description, input, outputs } of instancesOf(cloudAccountId, places)) {
    const version = versions.get(type)
    if (!version) throw new Error(`the demo has no module ${type}`)
    const wish = { organizationId, projectId, environmentId, version, givenId: name, name, description, input }
    const id = await createInstance(tx, wish)
    await adoptStack(tx, { ...wish, givenId: `production-${name}` }, id, outputs)
    instances.push([name, id])
  }
  return {
    cloudAccountId,
    instances: byName(instances),
    releasePipelineId: await buildRelease(tx, organizationId, projectId),
    codeSourceId: git && (await buildDelivery(tx, organizationId, projectId, git)),
  }
}

type DemoInstance = {
  type: DemoModule
  name: string
  description: string
  input: Record<string, unknown>
  /** Outputs of an apply of its stack. */
  outputs: Record<string, unknown>
}

function instancesOf(cloudAccountId: string, places: DemoPlaces): DemoInstance[] {
  const ofServices = services.map(({ name, description, input }, index): DemoInstance => {
    const service = places.services[index]
    if (!service) throw new Error(`the cloud has no service for ${name}`)
    const existing = existingOf(service)
    const own = {
      image_repository: `registry.example/shop/${name}`,
      cloud_account_id: cloudAccountId,
      existing,
      ...input,
    }
    return { type: 'container-service', name, description, input: own, outputs: outputsOf(existing) }
  })
  return [
    ...ofServices,
    functionInstance(thumbnails, cloudAccountId, places.functionArn),
    functionInstance(greeting, cloudAccountId, places.builtFunctionArn),
    groupInstance(cloudAccountId),
    siteInstance(cloudAccountId, places.site),
  ]
}

function functionInstance(
  { name, description, input }: typeof thumbnails | typeof greeting,
  cloudAccountId: string,
  functionArn: string,
): DemoInstance {
  const outputs = {
    function_name: name,
    function_arn: functionArn,
    artifact_bucket: artifactBucketOf(name),
    log_group: `/aws/lambda/${name}`,
  }
  const own = { cloud_account_id: cloudAccountId, function_arn: functionArn, ...input }
  return { type: 'function', name, description, input: own, outputs }
}

function groupInstance(cloudAccountId: string): DemoInstance {
  const { name, description, input } = workers
  const existing = { group_name: name }
  const own = {
    image_repository: `registry.example/shop/${name}`,
    cloud_account_id: cloudAccountId,
    existing,
    ...input,
  }
  return {
    type: 'machine-group',
    name,
    description,
    input: own,
    outputs: { ...existing, log_group: `/machines/${name}` },
  }
}

function siteInstance(cloudAccountId: string, outputs: Site): DemoInstance {
  const input = { cloud_account_id: cloudAccountId, cloud_region: region }
  return { type: 'static-site', ...site, input, outputs }
}

async function buildRelease(tx: Db, organizationId: string, projectId: string): Promise<string> {
  const stack = { givenId: 'shop', name: 'Shop', description: 'What all services of the shop share.' }
  await createStack(tx, { organizationId, projectId, ...stack })
  return createPipeline(tx, { organizationId, projectId }, 'release')
}

/** Creates a code source for the repository and a pipeline that pushes trigger. */
async function buildDelivery(tx: Db, organizationId: string, projectId: string, git: DemoGit): Promise<string> {
  const codeSourceId = newId('cs')
  await tx.insert(codeSources).values({
    id: codeSourceId,
    organizationId,
    type: 'GITHOSTB',
    repoUrl: addressOf(git),
    repoName: demoRepository.name,
    gitRepositoryId: String(demoRepository.id),
    defaultBranch: demoRepository.branch,
    visibility: 'PUBLIC',
    auth: { kind: 'none' },
    webhookSecretHash: hashOf(git.webhookSecret),
  })
  const stack = { givenId: greeting.name, name: 'Greeting', description: 'The queue of the greetings.' }
  await createStack(tx, { organizationId, projectId, ...stack })
  await createPipeline(tx, { organizationId, projectId }, 'deliver', { code_source_id: codeSourceId })
  return codeSourceId
}

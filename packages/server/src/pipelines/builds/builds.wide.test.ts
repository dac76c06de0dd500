import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ListKeysCommand } from '@aws-sdk/client-cloudfront-keyvaluestore'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import type {
  Artifact,
  ArtifactVerdict,
  AuditEvent,
  Environment,
  ModuleInstance,
  ModuleVersion,
  PipelineStepExecution,
  Provenance,
} from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createFunction } from '../../../demo/functions.ts'
import { createSite, type Site } from '../../../demo/site.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { artifacts } from '../artifacts/tables.ts'

type Json = Record<string, unknown>
type Config = { build: Json; deploy: Json; [part: string]: unknown }

/** Examples of docs/reference/builds.md, in their order. */
let examples: { site: Config; pipeline: { inputs: Json[]; steps: Json[] }; function: Config }
let world: World
let organization: TestOrganization
let environment: Environment

beforeAll(async () => {
  const text = await readFile(new URL('../../../../../docs/reference/builds.md', import.meta.url), 'utf8')
  const [site, pipeline, lambda] = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => parse(yaml))
  examples = { site, pipeline, function: lambda }
  world = await sharedWorld()
  organization = await world.organization()
  const [found] = await organization.client.done<Environment[]>('GET', '/environments')
  if (!found) throw new Error('the organization has no environment')
  environment = found
})

/** Returns files that `npm ci` and `npm run-script build` convert to a page, with additional ones. */
const files = (page: string, more: Record<string, string> = {}) => ({
  'package.json': JSON.stringify({ name: 'shop', version: '1.0.0', scripts: { build: 'sh build.sh' } }),
  'package-lock.json': JSON.stringify({
    name: 'shop',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { name: 'shop', version: '1.0.0' } },
  }),
  'build.sh':
    'mkdir -p dist/assets && cp page.html dist/index.html && echo "stage $STAGE" > dist/assets/app.3f2a9c1b.js',
  'page.html': page,
  ...more,
})

/** Creates an instance of a new module with this config. Returns its id and the name that all its resources have. */
async function placed(name: string, config: object, input: object): Promise<string> {
  const { client } = organization
  const about = { type: name, name, description: 'Made of a build.' }
  const definition = await client.done<{ id: string }>('POST', '/module-definitions', { data: about })
  const version = await client.done<ModuleVersion>('POST', '/module-versions', {
    data: { moduleDefinitionId: definition.id, version: '1.0.0', description: 'First.', config },
  })
  const named = { moduleDefinitionId: definition.id, moduleVersionId: version.id, givenId: name, name, input }
  const data = { environmentId: environment.id, ...named }
  return (await client.done<ModuleInstance>('POST', '/module-instances', { data })).id
}

/** Creates a site with a build, with changes to the example's build block. */
async function site(build: Json = {}): Promise<{ id: string; name: string; site: Site }> {
  const name = `site-${randomBytes(5).toString('hex')}`
  const made = await createSite(organization.clients, name, 'eu-west-1')
  const config = { ...examples.site, build: { ...examples.site.build, ...build } }
  const { cloudAccountId: cloud_account_id } = organization
  const { bucket, distribution_arn, keyvaluestore_arn } = made
  const input = { cloud_account_id, bucket, distribution_arns: [distribution_arn], keyvaluestore_arn }
  return { id: await placed(name, config, input), name, site: made }
}

const build = (moduleInstanceId: string, more: object = {}) => ({
  id: 'build',
  type: 'build',
  with: { module_instance_id: moduleInstanceId, ...more },
})
const release = (moduleInstanceId: string, inputs?: object) => ({
  id: 'release',
  type: 'deploy',
  with: { module_instance_id: moduleInstanceId, ...(inputs && { inputs }) },
})

/** Runs these steps until the run ends, and returns the first step. */
async function ran(...steps: object[]): Promise<PipelineStepExecution> {
  const { pipelines } = organization
  const { id } = await pipelines.run(steps)
  await pipelines.untilOver(id, 60_000)
  const [first] = await pipelines.steps(id)
  if (!first) throw new Error('the run has no step')
  return first
}

/** Runs a build that must succeed, and returns its output. */
async function built(moduleInstanceId: string, more: object): Promise<Json> {
  const { status, outputData, error } = await ran(build(moduleInstanceId, more))
  expect(status, JSON.stringify(error)).toBe('SUCCESS')
  return outputData ?? {}
}

async function logOf({ id }: PipelineStepExecution): Promise<string> {
  const path = `/pipeline-step-executions/${id}/logs?limit=100`
  const lines = await organization.client.done<{ text: string }[]>('GET', path)
  return lines.map(({ text }) => text).join('\n')
}
const artifactsOf = (id: string) => organization.client.done<Artifact[]>('GET', `/artifacts?moduleInstanceId=${id}`)
async function keysIn(bucket: string): Promise<string[]> {
  const { Contents = [] } = await organization.clients.storage.send(new ListObjectsV2Command({ Bucket: bucket }))
  return Contents.map(({ Key = '' }) => Key)
}
async function objectIn(bucket: string, key: string) {
  const { Body, ContentType, CacheControl } = await organization.clients.storage.send(
    new GetObjectCommand({ Bucket: bucket, Key: key }),
  )
  return { text: await Body?.transformToString(), ContentType, CacheControl }
}

describe('a site', () => {
  test('has the files cached for a year that a manifest of its build tool lists', async () => {
    const { id, site: made } = await site()
    const script = [
      'mkdir -p dist/.vite dist/static && cp page.html dist/index.html && cp manifest.json dist/.vite/',
      'echo 1 > dist/static/main-BxY8k2Lq.js && echo 2 > dist/static/brochure-Summer25.pdf',
    ]
    const manifest = JSON.stringify({ 'main.ts': { file: 'static/main-BxY8k2Lq.js', name: 'main' } })
    const more = { 'build.sh': script.join(' && '), 'manifest.json': manifest }
    const { directory } = await built(id, { source: { files: files('<h1>Shop</h1>', more) } })
    const cached = async (path: string) => (await objectIn(made.bucket, `${directory}/static/${path}`)).CacheControl
    expect(await cached('main-BxY8k2Lq.js'), 'see builds/content-hashes.ts of the runner').toMatch(/immutable$/)
    expect(await cached('brochure-Summer25.pdf')).toMatch(/must-revalidate$/)
  })

  test('is built, published and released as documented', async () => {
    const { id, name, site: made } = await site()
    const { inputs, steps } = examples.pipeline
    const named = steps.map((step) => ({ ...step, with: { ...(step.with as Json), module_instance: name } }))
    const [first, ...rest] = named
    const source = { files: files('<h1>Shop</h1>') }
    const given = [{ ...first, with: { ...first?.with, source, environment: environment.givenId } }, ...rest]
    const { pipelines } = organization
    const pipeline = await pipelines.create({ inputs, steps: given })
    const run = await pipelines.start(pipeline.id, { ref: 'v1' })
    const over = await pipelines.untilOver(run.id, 60_000)
    expect(over, JSON.stringify(over.error)).toMatchObject({ status: 'SUCCESS' })

    const [artifact, ...others] = await artifactsOf(id)
    expect(others).toEqual([])
    const directory = artifact?.deployInputs.directory ?? ''
    expect(directory).toMatch(/^releases\/[0-9a-f]{32}$/)
    expect(artifact).toMatchObject({ kind: 'static', fileCount: 2, location: `s3://${made.bucket}/${directory}` })
    expect(await pipelines.step(run.id, 'build')).toMatchObject({
      moduleInstanceId: id,
      outputData: { artifact_id: artifact?.id, directory, is_reused: false, digest: artifact?.digest },
    })
    expect(await objectIn(made.bucket, `${directory}/index.html`)).toEqual({
      text: '<h1>Shop</h1>',
      ContentType: 'text/html; charset=utf-8',
      CacheControl: 'public, max-age=0, must-revalidate',
    })
    expect(await objectIn(made.bucket, `${directory}/assets/app.3f2a9c1b.js`)).toMatchObject({
      text: `stage ${environment.givenId}\n`,
      CacheControl: 'public, max-age=31536000, immutable',
    })
    const { keyValues } = organization.clients
    const { Items = [] } = await keyValues.send(new ListKeysCommand({ KvsARN: made.keyvaluestore_arn, MaxResults: 50 }))
    expect(Items).toMatchObject([{ Key: 'active', Value: directory }])
    const path = `/audit-events?resourceId=${artifact?.id}`
    const { subject, predicate } = await organization.client.done<Provenance>(
      'GET',
      `/artifacts/${artifact?.id}/provenance`,
    )
    const digest = { dirHash: expect.stringMatching(/^[0-9a-f]{64}$/) }
    expect(subject).toEqual([{ name: `s3://${made.bucket}/${directory}`, digest }])
    expect(predicate.buildDefinition.externalParameters).toMatchObject({ inputs: { branch: 'main', ref: 'v1' } })
    expect(predicate.buildDefinition.internalParameters).toMatchObject({ pipelineRunId: run.id, moduleInstanceId: id })
    expect(await organization.client.done<AuditEvent[]>('GET', path)).toMatchObject([{ action: 'artifacts.create' }])
  })

  test('is not built twice, except by a forced build', async () => {
    const { id, site: made } = await site()
    const source = { files: files('one') }
    const first = await built(id, { source })
    const step = await ran(build(id, { source }))
    expect(step.outputData).toEqual({ ...first, is_reused: true })
    expect(await logOf(step)).toMatch(`the artifact ${first.artifact_id} at s3://${made.bucket}/`)
    expect(await logOf(step)).not.toMatch('npm')

    const forced = await ran(build(id, { source, force: true }))
    expect(await logOf(forced)).toMatch('$ npm run-script build')
    expect(forced.outputData).toMatchObject({ artifact_id: first.artifact_id, digest: first.digest })
    expect(await artifactsOf(id)).toHaveLength(1)
    expect(await keysIn(made.bucket)).toHaveLength(2)
  })

  test.each<[string, object]>([
    ['other files', { source: { files: files('two') } }],
    ['other inputs', { inputs: { ref: 'v2' } }],
    ['another variable', { environment_variables: { COLOR: 'red' } }],
  ])('is a different artifact with %s', async (_, change) => {
    const { id } = await site()
    const usual = { source: { files: files('one') } }
    const first = await built(id, usual)
    expect(await built(id, { ...usual, ...change })).toMatchObject({ is_reused: false })
    expect(await built(id, usual)).toEqual({ ...first, is_reused: true })
  })

  test('is built again if a part of it is missing', async () => {
    const { id, site: made } = await site()
    const source = { files: files('one') }
    const { directory } = await built(id, { source })
    await organization.clients.storage.send(
      new DeleteObjectCommand({ Bucket: made.bucket, Key: `${directory}/index.html` }),
    )
    expect(await built(id, { source })).toMatchObject({ is_reused: false, directory })
    expect(await keysIn(made.bucket)).toContain(`${directory}/index.html`)
  })

  test('without commands consists of its source files', async () => {
    const { id, site: made } = await site({ builder: null })
    const { directory } = await built(id, {
      source: { files: { 'site/a b/ü.txt': 'x', 'other.txt': 'y' }, base_path: 'site' },
    })
    expect(await keysIn(made.bucket)).toEqual([`${directory}/a b/ü.txt`])
  })

  test('is published also if the cloud throttles for a moment', async () => {
    const { id, site: made } = await site({ builder: null })
    const account = organization.accountNumber
    await world.cloud.addFault({ kind: 'throttle', operation: 'ListObjectsV2', account, times: 2 })
    const { directory } = await built(id, { source: { files: { 'index.html': 'x' } } })
    expect(await keysIn(made.bucket)).toEqual([`${directory}/index.html`])
  })
})

describe('a function', () => {
  test('is built into an archive and released as documented', async () => {
    const { clients, accountNumber, cloudAccountId: cloud_account_id } = organization
    const name = `f${randomBytes(4).toString('hex')}`
    const artifact_bucket = `archives-${name}`
    const CreateBucketConfiguration = { LocationConstraint: 'eu-west-1' } as const
    await clients.storage.send(new CreateBucketCommand({ Bucket: artifact_bucket, CreateBucketConfiguration }))
    const code = { S3Bucket: artifact_bucket, S3Key: 'v1.zip' }
    await clients.storage.send(new PutObjectCommand({ Bucket: artifact_bucket, Key: code.S3Key, Body: 'PK' }))
    const function_arn = await createFunction(clients.lambda, { name, accountNumber, code })
    const id = await placed(name, examples.function, { cloud_account_id, function_arn, artifact_bucket })
    const source = { files: { 'function/index.mjs': 'export const handler = () => 1', ...prefixed(files('x')) } }
    const given = { source: { ...source, base_path: 'function' } }
    const first = await ran(build(id, given), release(id))
    expect(first.error).toBeUndefined()
    const key = String(first.outputData?.s3_key)
    expect(key).toMatch(new RegExp(`^${name}/[0-9a-f]{32}\\.zip$`))
    const run = await organization.pipelines.get(first.pipelineRunId)
    expect(run, JSON.stringify(run.error)).toMatchObject({ status: 'SUCCESS' })

    // The same files produce the same bytes, regardless of the time.
    const again = await built(id, { ...given, force: true })
    expect(again).toMatchObject({ digest: first.outputData?.digest, s3_key: key })
    expect((await keysIn(artifact_bucket)).sort()).toEqual([key, code.S3Key].sort())
  })

  const prefixed = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).map(([path, content]) => [`function/${path}`, content]))
})

describe('a build step', () => {
  const bare = { builder: { type: 'commands', build_cmd: 'sh build.sh', output_directory: 'dist' } }
  const source = (script: string) => ({ source: { files: { 'build.sh': script } } })

  test('passes secrets to its commands and never shows them', async () => {
    const { id } = await site(bare)
    const secret = `s3cret-${randomBytes(8).toString('hex')}`
    const { client } = organization
    const key = `token_${randomBytes(4).toString('hex')}`
    const definition = { key, schema: { type: 'string' }, isSensitive: true }
    const { id: defaultValueDefinitionId } = await client.done<{ id: string }>('POST', '/default-value-definitions', {
      data: definition,
    })
    const on = { parentType: 'project', parentId: organization.pipelines.projectId }
    await client.done('POST', '/default-values', { data: { defaultValueDefinitionId, ...on, value: secret } })
    const script = 'mkdir dist; echo "$TOKEN" | wc -c > dist/length; echo "it is $TOKEN"'
    const more = { ...source(script), environment_variables: { TOKEN: `<< defaults.${key} >>` } }
    const step = await ran(build(id, more))
    expect(step.error).toBeUndefined()
    expect(await logOf(step)).toMatch('it is ***')
    expect(JSON.stringify([step, await artifactsOf(id), await logOf(step)])).not.toContain(secret)
  })

  test.each<[string, object, string, string]>([
    ['a command that fails', { script: 'echo "no such page"; exit 3' }, 'COMMAND_FAILED', 'no such page'],
    ['a folder that is not there', { script: 'true' }, 'OUTPUT_INVALID', 'dist'],
    ['a folder with nothing in it', { script: 'mkdir dist' }, 'OUTPUT_INVALID', 'dist'],
    ['a link that leads nowhere', { script: 'mkdir dist; ln -s /nowhere dist/a' }, 'OUTPUT_INVALID', 'dist'],
    ['inputs that the module does not take', { inputs: { colour: 'red' } }, 'INPUT_INVALID', 'colour'],
    ['a tool that makes no files', { block: { builder: { type: 'nixpacks' } } }, 'TOOL_MISSING', 'nixpacks'],
    ['an image without a repository', { block: { type: 'image', builder: null } }, 'BUILD_INVALID', 'type ecr'],
    ['no destination', { block: { destinations: [] } }, 'BUILD_INVALID', 'destinations'],
    [
      'a region that is an address',
      { block: { destinations: [{ id: 'a', type: 's3', bucket: 'b', region: 'x.example.com/' }] } },
      'BUILD_INVALID',
      'region',
    ],
    [
      'a folder above',
      { block: { builder: { type: 'commands', output_directory: '../..' } } },
      'BUILD_INVALID',
      'output_directory',
    ],
    ['a time-out', { block: { timeout: 1 }, script: 'sleep 20' }, 'STEP_TIMED_OUT', '1 s'],
  ])(
    'fails at %s with the reason',
    async (_, {
      script = 'true',
      block = {},
      inputs,
    }: { script?: string; block?: Json; inputs?: Json }, code, said) => {
      const { id } = await site({ ...bare, ...block })
      const { status, error } = await ran(build(id, { ...source(script), ...(inputs && { inputs }) }))
      expect(status).toBe('ERROR')
      expect(error?.code).toMatch(new RegExp(`:${code}$`))
      expect(JSON.stringify(error)).toContain(said)
      expect(await artifactsOf(id)).toEqual([])
    },
  )

  test('reports the missing permission if nothing can be stored', async () => {
    const other = await world.organization()
    await other.deny('s3:ListBucket')
    const { id } = await site({ infrastructure: { cloud_account_id: other.cloudAccountId } })
    const elsewhere = await ran(build(id, { source: { files: files('x') } }))
    // The account of another organization cannot be used.
    expect(elsewhere.error).toMatchObject({ code: 'Sluice:Builds:NOT_PUBLISHED' })
    await organization.deny('s3:PutObject')
    const own = await site({ ...bare })
    const denied = await ran(build(own.id, source('mkdir dist; echo 1 > dist/a')))
    await organization.deny()
    expect(denied.error).toMatchObject({ code: 'Sluice:Builds:NOT_PUBLISHED' })
    expect(JSON.stringify(denied.error)).toContain('AccessDenied')
  })

  test('without anything to build succeeds at once', async () => {
    const { id } = await site({ type: 'disabled' })
    expect(await built(id, {})).toEqual({ kind: 'disabled' })
  })

  test('is cancelled with its run, and publishes nothing', async () => {
    const { id } = await site(bare)
    const { pipelines } = organization
    const run = await pipelines.run([build(id, source('echo begun; sleep 60'))])
    const step = await pipelines.untilStep(run.id, 'build', 'IN_PROGRESS')
    // A program that receives SIGTERM before it has started may ignore it, and is killed after 30 s.
    await eventually(
      'the command to begin',
      () => logOf(step),
      (log) => /^begun$/m.test(log),
    )
    await pipelines.cancel(run.id)
    expect(await pipelines.untilOver(run.id, 30_000)).toMatchObject({ status: 'CANCELLED' })
    expect(await artifactsOf(id)).toEqual([])
  })
})

test('unreferenced artifacts are listed, and retained ones with the reason', async () => {
  const { organizationId, byPath } = await createOneOfEverything(world.db)
  const client = new Client(world.url, await addMember(world.db, organizationId, 'VIEWER'))
  const [like] = await world.db
    .select()
    .from(artifacts)
    .where(eq(artifacts.id, byPath.artifacts ?? ''))
  const [release] = await world.db
    .select()
    .from(deployments)
    .where(eq(deployments.id, byPath.deployments ?? ''))
  if (!like || !release) throw new Error('there is no artifact, or no release')
  const old = new Date(Date.now() - 100 * 86_400_000)
  await world.db.delete(deployments).where(eq(deployments.id, release.id))
  const made = async (change: Partial<typeof like> = {}) => {
    const name = randomBytes(16).toString('hex')
    const own = { id: newId('art'), key: `releases/${name}`, contentKey: name, digest: `sha256:${name}${name}` }
    const [row] = await world.db
      .insert(artifacts)
      .values({ ...like, ...own, createdAt: old, ...change })
      .returning()
    if (!row) throw new Error('the artifact was not stored')
    return row
  }
  const releasing = async (inputs: object, change: Partial<typeof release>) => {
    const id = newId('dep')
    await world.db.insert(deployments).values({ ...release, id, inputs: { ...inputs }, ...change })
    return id
  }
  const ended = (minutes: number) =>
    ({ status: 'SUCCESS', completedAt: new Date(Date.now() + minutes * 60_000) }) as const
  const [unneeded, returnedTo, waiting, runs] = [await made(), await made(), await made(), await made()]
  const image = await made({ kind: 'image', bucket: 'registry.example', key: 'shop', pipelineRunId: newId('run') })
  const [young, latest] = [await made({ createdAt: new Date() }), await made()]
  await releasing({ directory: unneeded.key }, ended(1))
  await releasing({ directory: returnedTo.key }, ended(2))
  const last = await releasing(
    { directory: runs.key, image: `shop:${image.pipelineRunId}-abcdef012345-01234567` },
    ended(3),
  )
  const later = new Date(Date.now() + 3_600_000) // no worker handles it before the end of the test
  const waits = { wakeAt: later, deadlineAt: later, waitingFor: 'a test' }
  await releasing({ directory: waiting.key }, { status: 'IN_PROGRESS', completedAt: null, ...waits })

  const path = `/artifacts/retention/dry-run?moduleInstanceId=${like.moduleInstanceId}&keepLatest=`
  const told = async (keepLatest: number) => {
    const verdicts = await client.done<ArtifactVerdict[]>('GET', `${path}${keepLatest}`)
    return new Map(verdicts.map(({ artifact, ...verdict }) => [artifact.id, verdict]))
  }
  const strict = await told(1)
  expect(strict.get(runs.id)).toMatchObject({ isNeeded: true, neededFor: 'RUNNING', deploymentId: last })
  expect(strict.get(image.id)).toMatchObject({ neededFor: 'RUNNING' })
  expect(strict.get(waiting.id)).toMatchObject({ neededFor: 'IN_PROGRESS' })
  expect(strict.get(latest.id)).toMatchObject({ neededFor: 'LATEST' })
  expect(strict.get(young.id)).toMatchObject({ neededFor: 'RECENT' })
  expect(strict.get(returnedTo.id)).toEqual({ isNeeded: false, message: 'It is unused.' })
  const usual = await told(2)
  expect(usual.get(returnedTo.id)).toMatchObject({ neededFor: 'ROLLBACK' })
  expect(usual.get(unneeded.id)).toEqual({ isNeeded: false, message: 'It is unused.' })
})

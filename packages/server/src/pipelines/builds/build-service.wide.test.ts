import { randomBytes } from 'node:crypto'
import { GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import {
  BatchGetBuildsCommand,
  type Build,
  ListBuildsForProjectCommand,
  StopBuildCommand,
} from '@aws-sdk/client-codebuild'
import { failures, type PipelineStepExecution } from '@sluice/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { isOnPath } from '../../testing/on-path.ts'
import { createTestSite } from '../../testing/static-site.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { type OrganizationWithTasks, organizationWithTasks } from '../runner-tasks/tasks.fixture.ts'
import { startRegistry } from './registry.fixture.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ hasTasks: true })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const withinMs = 60_000

/** Creates a site whose build sets an instance size, in an organization whose steps run in its own account. */
async function siteOf(
  organization: OrganizationWithTasks,
  size = 'm7i.xlarge',
  build_cmd = 'mkdir dist && cp page dist',
) {
  const { environment, cloudAccountId: cloud_account_id, pipelines, clients } = organization
  const builder = { type: 'commands', build_cmd, output_directory: 'dist' }
  const build = {
    type: 'static',
    builder,
    destinations: [{ id: 'site', type: 's3', bucket: '<< module.input.bucket >>', region: 'eu-west-1' }],
    infrastructure: { cloud_account_id, instance_size: size },
  }
  const { moduleInstanceId: module_instance_id } = await createTestSite(world, organization, { releases: [], build })
  const step = (page: string = randomBytes(4).toString('hex')) => ({
    id: 'build',
    type: 'build',
    execution_environment_id: environment.id,
    with: { module_instance_id, source: { files: { page } }, force: true },
  })
  const begun = async (page?: string) => (await pipelines.run([step(page)])).id
  return {
    begun,
    async ran(page?: string): Promise<PipelineStepExecution> {
      const run = await begun(page)
      await pipelines.untilOver(run, withinMs)
      return pipelines.step(run, 'build')
    },
    /** Returns the builds of the account's build service, newest first. */
    async builds(): Promise<Build[]> {
      const projectName = `sluice-runners-${environment.id}`
      const { ids = [] } = await clients.builds.send(new ListBuildsForProjectCommand({ projectName }))
      if (ids.length === 0) return []
      return (await clients.builds.send(new BatchGetBuildsCommand({ ids }))).builds ?? []
    },
  }
}

test('a build is executed by the build service with the instance size, in a project that is created once', async () => {
  const organization = await organizationWithTasks(world)
  const site = await siteOf(organization)
  const first = await site.ran('one')
  expect(first, JSON.stringify(first.error)).toMatchObject({ status: 'SUCCESS', attemptEpoch: 1 })
  const [build] = await eventually(
    'the build to be over',
    () => site.builds(),
    ([one]) => one?.buildComplete === true,
  )
  expect(build).toMatchObject({
    buildStatus: 'SUCCEEDED',
    environment: { computeType: 'BUILD_GENERAL1_MEDIUM', privilegedMode: true, image: 'sluice-runner:demo' },
    vpcConfig: { vpcId: expect.stringMatching(/^vpc-/), subnets: organization.environment.network?.subnetIds },
  })
  const { logs } = first
  expect(logs).toMatchObject({
    cloudAccountId: organization.cloudAccountId,
    logGroupName: '/sluice/sluice-runners',
    logStreamPrefix: `build/${build?.id?.split(':')[1]}`,
  })
  const stream = { logGroupName: logs?.logGroupName, logStreamName: logs?.logStreamPrefix }
  const { events = [] } = await organization.clients.logs.send(new GetLogEventsCommand(stream))
  expect(events.map(({ message }) => message).join('\n')).toContain('the runner is ready')

  expect(await site.ran('two')).toMatchObject({ status: 'SUCCESS' })
  expect(await organization.calls('CreateProject')).toHaveLength(1)
  expect(await organization.calls('UpdateProject')).toHaveLength(0)
  expect(await organization.calls('StartBuild')).toHaveLength(2)
  expect(await organization.calls('RunTask')).toHaveLength(0)
})

const tools = ['buildah', 'docker-registry']
const canBuildImages = process.getuid?.() === 0 && tools.every(isOnPath)
if (!canBuildImages) console.info('skipped: an image in the build service takes root, buildah and docker-registry')

test.skipIf(!canBuildImages)('an image is built there without an instance size, and used by its digest', async () => {
  const registry = await startRegistry()
  onTestFinished(() => registry.stop())
  await world.cloud.putRegistry({ endpoint: registry.endpoint })
  const organization = await organizationWithTasks(world)
  const { client, accountNumber, cloudAccountId: cloud_account_id, environment, pipelines } = organization
  const [place] = await client.done<{ id: string }[]>('GET', '/environments')
  const about = { type: 'image', name: 'Image', description: 'An image.' }
  const definition = await client.done<{ id: string }>('POST', '/module-definitions', { data: about })
  const repository_arn = `arn:aws:ecr:eu-west-1:${accountNumber}:repository/shop/web`
  const build = {
    type: 'image',
    builder: { type: 'dockerfile' },
    destinations: [{ id: 'images', type: 'ecr', repository_arn }],
    infrastructure: { cloud_account_id },
  }
  const version = await client.done<{ id: string }>('POST', '/module-versions', {
    data: { moduleDefinitionId: definition.id, version: '1.0.0', description: 'First.', config: { inputs: [], build } },
  })
  const ids = { environmentId: place?.id, moduleDefinitionId: definition.id, moduleVersionId: version.id }
  const instance = { ...ids, givenId: 'web', name: 'Web', input: {} }
  const { id: module_instance_id } = await client.done<{ id: string }>('POST', '/module-instances', { data: instance })
  const source = { files: { Dockerfile: 'FROM scratch\nCOPY page /\n', page: 'hello' } }
  const run = await pipelines.run([
    {
      id: 'build',
      type: 'build',
      execution_environment_id: environment.id,
      with: { module_instance_id, source },
    },
  ])
  await pipelines.untilOver(run.id, withinMs)
  const { status, outputData, error } = await pipelines.step(run.id, 'build')
  expect(status, JSON.stringify(error)).toBe('SUCCESS')
  const accept = 'application/vnd.oci.image.manifest.v1+json'
  const found = await fetch(`${registry.endpoint}/v2/shop/web/manifests/${outputData?.digest}`, { headers: { accept } })
  expect(found.status).toBe(200)
  expect(await organization.calls('StartBuild')).toHaveLength(1)
  expect(await organization.calls('RunTask')).toHaveLength(0)
})

test('a project is updated with the network of its execution environment', async () => {
  const organization = await organizationWithTasks(world)
  const site = await siteOf(organization, 'large')
  expect(await site.ran()).toMatchObject({ status: 'SUCCESS' })
  const { id, network } = organization.environment
  const data = { network: { ...network, assignPublicIp: true } }
  await organization.client.done('PATCH', `/execution-environments/${id}`, { data })
  expect(await site.ran()).toMatchObject({ status: 'SUCCESS' })
  const [now, before] = await site.builds()
  expect(now?.vpcConfig?.vpcId).toBeUndefined()
  expect(before).toMatchObject({
    vpcConfig: { vpcId: expect.anything() },
    environment: { computeType: 'BUILD_GENERAL1_LARGE' },
  })
  expect(await organization.calls('UpdateProject')).toHaveLength(1)
})

test('a request with a lost response, or one that is throttled, starts one build', async () => {
  const organization = await organizationWithTasks(world)
  const site = await siteOf(organization)
  await organization.fault({ kind: 'throttle', operation: 'StartBuild', times: 1 })
  await organization.fault({ kind: 'drop-answer', operation: 'StartBuild', times: 1 })
  expect(await site.ran()).toMatchObject({ status: 'SUCCESS', attemptEpoch: 1 })
  expect(await site.builds()).toHaveLength(1)
})

test('a build that never starts is stopped with the step', async () => {
  const organization = await organizationWithTasks(world)
  const site = await siteOf(organization)
  await world.cloud.putImage({ pattern: 'sluice-runner:*', behaviour: 'hang', times: 1 })
  const run = await site.begun()
  await eventually(
    'the build to hang',
    () => site.builds().catch(() => []),
    ([one]) => one?.currentPhase === 'PROVISIONING',
    withinMs,
  )
  await organization.pipelines.cancel(run)
  expect(await organization.pipelines.untilOver(run, withinMs)).toMatchObject({ status: 'CANCELLED' })
  await eventually(
    'the build to be stopped',
    () => site.builds(),
    ([one]) => one?.buildStatus === 'STOPPED',
    withinMs,
  )
})

test('a build whose command is running is cancelled, and publishes nothing', async () => {
  const organization = await organizationWithTasks(world)
  const site = await siteOf(organization, 'small', 'echo begun; exec sleep 600')
  const run = await site.begun()
  const { id } = await organization.pipelines.untilStep(run, 'build', 'IN_PROGRESS')
  await eventually(
    'its command to run',
    () => organization.client.done<{ text: string }[]>('GET', `/pipeline-step-executions/${id}/logs`),
    (lines) => lines.some(({ text }) => text.includes('begun')),
    withinMs,
  )
  await organization.pipelines.cancel(run)
  expect(await organization.pipelines.untilOver(run, withinMs)).toMatchObject({ status: 'CANCELLED' })
  await eventually(
    'the build to be over',
    () => site.builds(),
    ([one]) => one?.buildComplete === true,
    withinMs,
  )
  expect(await organization.client.done('GET', '/artifacts')).toEqual([])
})

test('a build that a user stops in the account ends its step with the reason', async () => {
  const organization = await organizationWithTasks(world)
  const site = await siteOf(organization, 'small', 'echo begun; exec sleep 600')
  const run = await site.begun()
  const [build] = await eventually(
    'the build to run',
    () => site.builds().catch(() => []),
    ([one]) => one?.currentPhase === 'BUILD',
    withinMs,
  )
  await organization.clients.builds.send(new StopBuildCommand({ id: build?.id }))
  await organization.pipelines.untilOver(run, withinMs)
  expect((await organization.pipelines.step(run, 'build')).error).toMatchObject({
    code: expect.stringMatching(/RUNNER_TASK_(NOT_STARTED|ENDED)$/),
    description: expect.stringContaining('STOPPED in the phase BUILD'),
  })
})

test.each([
  ['an image that is not there', 'pull-error', 'BUILD_CONTAINER_UNABLE_TO_PULL_IMAGE'],
  ['an image that crashes', 'crash', 'COMMAND_EXECUTION_ERROR'],
] as const)("%s ends the step with the cloud's message", async (_, behaviour, said) => {
  const organization = await organizationWithTasks(world)
  const site = await siteOf(organization)
  await world.cloud.putImage({ pattern: 'sluice-runner:*', behaviour, times: 1 })
  expect((await site.ran()).error).toMatchObject({
    code: failures.runnerTaskNotStarted.code,
    description: expect.stringContaining(said),
  })
})

test('an unknown instance size and a missing role are reported', async () => {
  const organization = await organizationWithTasks(world)
  const odd = await siteOf(organization, 'enormous')
  expect((await odd.ran()).error).toMatchObject({
    code: failures.runnerTaskNotStarted.code,
    description: expect.stringContaining('no machine of the size enormous'),
  })
  await world.cloud.putRole({
    roleArn: `arn:aws:iam::${organization.accountNumber}:role/sluice-runners-build-eu-west-1`,
    trustedService: 'other.amazonaws.com',
  })
  const site = await siteOf(organization)
  expect((await site.ran()).error).toMatchObject({
    code: failures.runnerTaskNotStarted.code,
    description: expect.stringContaining('sts:AssumeRole on service role'),
  })
})

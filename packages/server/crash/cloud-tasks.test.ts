import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Artifact, ExecutionEnvironment, Project } from '@sluice/contract'
import { expect, onTestFinished, test } from 'vitest'
import { shopNetwork } from '../demo/cloud.ts'
import { createCloudEnvironment } from '../demo/organization.ts'
import { makeRunnerSetup, runnerNetwork } from '../demo/runners.ts'
import { Pipelines } from '../src/testing/pipelines.ts'
import { createTestSite } from '../src/testing/static-site.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { openGateway, type Watcher } from './gateway.ts'
import { Moments, NeverHeard } from './moments.ts'
import { PatientClient } from './patient-client.ts'

const region = 'eu-west-1'
/** A start of the service, and of a runner after it. Milliseconds. */
const withinMs = 120_000
const everyRow = 100

async function settle(world: World) {
  const organization = await world.organization({ delivery: false })
  const { id, clients, roleArn, cloudAccountId, client } = organization
  await makeRunnerSetup({ clients, control: world.cloud }, { roleArn, region })
  const place = { givenId: 'tasks', name: 'Tasks', cloudAccountId, region, network: runnerNetwork }
  await createCloudEnvironment(world.db, id, place)
  await world.cloud.putNetwork({ account: organization.accountNumber, region, ...shopNetwork })
  const build = {
    type: 'static',
    builder: { type: 'commands', build_cmd: 'mkdir dist && cp page.* dist', output_directory: 'dist' },
    destinations: [{ id: 'site', type: 's3', bucket: '<< module.input.bucket >>', region }],
    infrastructure: { cloud_account_id: cloudAccountId, instance_size: 'small' },
  }
  const { moduleInstanceId } = await createTestSite(world, organization, { releases: [], build })
  return { client: new PatientClient(world.url, client.token), moduleInstanceId }
}

/** The service, and programs that write down each of their starts. */
async function startTasks(watcher: Watcher) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-starts-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { service, cloud, people } = await startCrashWorld({
    speed: 600,
    people: settle,
    gateway: (cloudUrl) => openGateway(cloudUrl, watcher),
  })
  const { client, moduleInstanceId: module_instance_id } = people
  const [project] = await client.done<Project[]>('GET', '/projects')
  const [environment] = await client.done<ExecutionEnvironment[]>('GET', '/execution-environments')

  expect(await client.done('POST', `/execution-environments/${environment?.id}/check`)).toMatchObject({ isReady: true })
  const pipelines = new Pipelines(client, project?.id ?? '')

  return {
    service,
    async carryOut(name: string) {
      const script = `echo start >>${join(directory, name)}; sleep 0.2; echo '{"done": true}' >"$SLUICE_OUTPUT"`
      const step = { id: 'a', type: 'command', execution_environment_id: environment?.id, with: { shell: script } }
      const { id } = await pipelines.run([step])
      expect(await pipelines.untilOver(id, withinMs), name).toMatchObject({ status: 'SUCCESS' })
      expect(await pipelines.step(id, 'a'), name).toMatchObject({ attemptEpoch: 1, outputData: { done: true } })
      expect(await readFile(join(directory, name), 'utf8'), name).toBe('start\n')
    },
    /** A build that the account's build service carries out. */
    async build(name: string) {
      const given = { module_instance_id, source: { files: { 'page.a': `a ${name}`, 'page.b': `b ${name}` } } }
      const step = { id: 'build', type: 'build', execution_environment_id: environment?.id, with: given }
      const { id } = await pipelines.run([step])
      const over = await pipelines.untilOver(id, withinMs)
      expect(over, `${name}: ${JSON.stringify(over.error)}`).toMatchObject({ status: 'SUCCESS' })
      expect(await pipelines.step(id, 'build'), name).toMatchObject({ attemptEpoch: 1 })
    },
    artifacts: () =>
      client.done<Artifact[]>('GET', `/artifacts?moduleInstanceId=${module_instance_id}&limit=${everyRow}`),
    /** What was begun at the build service: a request under a token that it knows begins nothing. */
    async buildsBegun() {
      const calls = await cloud.calls({ operation: 'StartBuild', accepted: true, limit: 1_000_000 })
      return new Set(calls.map(({ request }) => (request as { idempotencyToken: string }).idempotencyToken)).size
    },
  }
}

test('a step runs once in one task, whichever call is the last that the cloud did before a kill', async () => {
  const moments = new Moments()
  const { service, carryOut } = await startTasks(moments)
  await moments.killAtEach(service, { release: (moment) => carryOut(`moment-${moment}`) })
  expect(service.kills).toBeGreaterThan(1)
  expect(service.ownEnds).toEqual([])
})

test('a step runs once in one task, whichever change the cloud never heard of for a kill', async () => {
  const unheard = new NeverHeard()
  const { service, carryOut } = await startTasks(unheard)
  await unheard.killInsteadOfEach(service, [/^RunTask$/], (_, index) => carryOut(`unheard-${index}`))
})

test('a build is one build of the build service, and published once, whichever call is the last before a kill', async () => {
  const moments = new Moments()
  const { service, build, artifacts, buildsBegun } = await startTasks(moments)
  await moments.killAtEach(service, { release: (moment) => build(`moment-${moment}`) })
  expect(service.kills).toBeGreaterThan(4)
  expect(service.ownEnds).toEqual([])
  expect(await artifacts()).toHaveLength(service.kills + 1) // one of each round, the last of which was let be
  expect(await buildsBegun()).toBe(service.kills + 1)
})

test('a build is one build, whichever change the build service never heard of for a kill', async () => {
  const unheard = new NeverHeard()
  const { service, build, artifacts } = await startTasks(unheard)
  let rounds = 0
  await unheard.killInsteadOfEach(service, [/^CreateProject$/, /^StartBuild$/], async (_, index) => {
    rounds += 1
    await build(`unheard-${index}`)
  })
  expect(await artifacts()).toHaveLength(rounds)
})

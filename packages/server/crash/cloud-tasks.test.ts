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
import type { TestOrganization, World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { openGateway, type Watcher } from './gateway.ts'
import { KillAfterCallWatcher, KillBeforeCallWatcher } from './moments.ts'
import { createAccountUsers, programReleasesPerKill } from './parties.ts'
import { PatientClient } from './patient-client.ts'

const region = 'eu-west-1'
/** Time limit in milliseconds, for a start of the service and then of a runner. */
const withinMs = 120_000
const everyRow = 100

async function settle(world: World, organization: TestOrganization) {
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

/** Starts the service with organizations whose steps run in their own accounts. The programs record each start. */
async function startTasks(watcher: Watcher, count: number) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-starts-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { service, cloud, people } = await startCrashWorld({
    speed: 600,
    people: createAccountUsers(count, settle),
    gateway: (cloudUrl) => openGateway(cloudUrl, watcher),
  })
  const prepared = people.map(async (party) => {
    const { client } = party
    const [project] = await client.done<Project[]>('GET', '/projects')
    const [environment] = await client.done<ExecutionEnvironment[]>('GET', '/execution-environments')
    const path = `/execution-environments/${environment?.id}/check`
    expect(await client.done('POST', path)).toMatchObject({ isReady: true })
    const pipelines = new Pipelines(client, project?.id ?? '')
    return { ...party, pipelines, execution_environment_id: environment?.id, rounds: 0 }
  })
  type Owner = Awaited<(typeof prepared)[number]>

  return {
    service,
    parties: await Promise.all(prepared),
    /** Runs a step. A release that came too late for a kill is repeated, so each run has a name of its own. */
    async runStep(owner: Owner, moment: string) {
      const { pipelines, execution_environment_id } = owner
      owner.rounds += 1
      const name = `${moment}-${owner.accountNumber}-${owner.rounds}`
      const script = `echo start >>${join(directory, name)}; sleep 0.2; echo '{"done": true}' >"$SLUICE_OUTPUT"`
      const step = { id: 'a', type: 'command', execution_environment_id, with: { shell: script } }
      const { id } = await pipelines.run([step])
      expect(await pipelines.untilOver(id, withinMs), name).toMatchObject({ status: 'SUCCESS' })
      expect(await pipelines.step(id, 'a'), name).toMatchObject({ attemptEpoch: 1, outputData: { done: true } })
      expect(await readFile(join(directory, name), 'utf8'), name).toBe('start\n')
    },
    /** Starts a build in the account's build service. */
    async build(owner: Owner, moment: string) {
      const { pipelines, execution_environment_id, moduleInstanceId: module_instance_id } = owner
      owner.rounds += 1
      const name = `${moment}-${owner.rounds}` // other sources than in the round before, or nothing would be built
      const given = { module_instance_id, source: { files: { 'page.a': `a ${name}`, 'page.b': `b ${name}` } } }
      const step = { id: 'build', type: 'build', execution_environment_id, with: given }
      const { id } = await pipelines.run([step])
      const over = await pipelines.untilOver(id, withinMs)
      expect(over, `${name}: ${JSON.stringify(over.error)}`).toMatchObject({ status: 'SUCCESS' })
      expect(await pipelines.step(id, 'build'), name).toMatchObject({ attemptEpoch: 1 })
    },
    artifacts: ({ client, moduleInstanceId }: Owner) =>
      client.done<Artifact[]>('GET', `/artifacts?moduleInstanceId=${moduleInstanceId}&limit=${everyRow}`),
    /** Returns the started builds. A repeated request with the same token starts none. */
    async buildsBegun({ accountNumber: account }: Owner) {
      const calls = await cloud.calls({ operation: 'StartBuild', account, accepted: true, limit: 1_000_000 })
      return new Set(calls.map(({ request }) => (request as { idempotencyToken: string }).idempotencyToken)).size
    },
  }
}

test('a step runs once in one task, whichever call of the cloud was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, parties, runStep } = await startTasks(moments, programReleasesPerKill)
  const count = await moments.killAtEach(service, parties, {
    release: (party, moment) => runStep(party, `moment-${moment}`),
  })
  expect(count).toBeGreaterThan(1)
  expect(service.ownEnds).toEqual([])
})

test('a step runs once in one task, whichever change a kill prevented', async () => {
  const unheard = new KillBeforeCallWatcher()
  const { service, parties, runStep } = await startTasks(unheard, 1)
  await unheard.killInsteadOfEach(service, parties, [/^RunTask$/], (party, _, nth) => runStep(party, `unheard-${nth}`))
})

test('a build starts once in the build service and is published once, whichever call was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, parties, build, artifacts, buildsBegun } = await startTasks(moments, programReleasesPerKill)
  const count = await moments.killAtEach(service, parties, {
    release: (party, moment) => build(party, `moment-${moment}`),
  })
  expect(count).toBeGreaterThan(4)
  expect(service.ownEnds).toEqual([])
  for (const party of parties) {
    expect(await artifacts(party)).toHaveLength(party.rounds)
    expect(await buildsBegun(party)).toBe(party.rounds)
  }
})

const buildChanges = [/^CreateProject$/, /^StartBuild$/]

test('a build starts once, whichever change of the build service a kill prevented', async () => {
  const unheard = new KillBeforeCallWatcher()
  const { service, parties, build, artifacts } = await startTasks(unheard, buildChanges.length)
  await unheard.killInsteadOfEach(service, parties, buildChanges, (party, _, nth) => build(party, `unheard-${nth}`))
  for (const party of parties) expect(await artifacts(party)).toHaveLength(party.rounds)
})

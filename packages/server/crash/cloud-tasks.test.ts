import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionEnvironment, Project } from '@sluice/contract'
import { expect, onTestFinished, test } from 'vitest'
import { createCloudEnvironment } from '../demo/organization.ts'
import { makeRunnerSetup, runnerNetwork } from '../demo/runners.ts'
import { Pipelines } from '../src/testing/pipelines.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { openGateway, type Watcher } from './gateway.ts'
import { Moments, NeverHeard } from './moments.ts'
import { PatientClient } from './patient-client.ts'

const region = 'eu-west-1'
/** A start of the service, and of a runner after it. Milliseconds. */
const withinMs = 120_000

async function settle(world: World) {
  const organization = await world.organization({ delivery: false })
  const { id, clients, roleArn, cloudAccountId, client } = organization
  await makeRunnerSetup({ clients, control: world.cloud }, { roleArn, region })
  const place = { givenId: 'tasks', name: 'Tasks', cloudAccountId, region, network: runnerNetwork }
  await createCloudEnvironment(world.db, id, place)
  return new PatientClient(world.url, client.token)
}

/** The service, and programs that write down each of their starts. */
async function startTasks(watcher: Watcher) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-starts-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { service, people: client } = await startCrashWorld({
    speed: 600,
    people: settle,
    gateway: (cloudUrl) => openGateway(cloudUrl, watcher),
  })
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

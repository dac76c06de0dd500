import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { Artifact, NewRunnerToken, Provenance, Runner } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { createTestSite } from '../../testing/static-site.ts'
import { sharedWorld } from '../../testing/world.ts'

const program = createRequire(import.meta.url).resolve('@sluice/runner')

/** Starts a runner of the organization as a process. */
async function startRunner(url: string, token: string): Promise<AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-many-builds-'))
  const child: ChildProcess = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH ?? '',
      SLUICE_URL: url,
      SLUICE_RUNNER_TOKEN: token,
      SLUICE_RUNNER_DIR: directory,
      SLUICE_RUNNER_CAPACITY: '5',
      SLUICE_RUNNER_ISOLATION: 'none',
    },
    stdio: 'ignore',
  })
  return {
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

test('twenty concurrent builds on two runners, two of each content, publish each artifact once and completely', async () => {
  const world = await sharedWorld()
  const organization = await world.organization({ delivery: false })
  const { client, pipelines, clients } = organization
  const build = {
    type: 'static',
    builder: { type: 'commands', build_cmd: 'mkdir dist && cp page.* dist', output_directory: 'dist' },
    destinations: [{ id: 'site', type: 's3', bucket: '<< module.input.bucket >>', region: 'eu-west-1' }],
    infrastructure: { cloud_account_id: organization.cloudAccountId },
  }
  const { moduleInstanceId: module_instance_id, site } = await createTestSite(world, organization, {
    releases: [],
    build,
  })
  const pool = await client.done<{ id: string }>('POST', '/execution-environments', {
    data: { givenId: 'racks', name: 'Racks', kind: 'runners' },
  })
  const { token } = await client.done<NewRunnerToken>('POST', '/runner-tokens', {
    data: { executionEnvironmentId: pool.id, name: 'Racks' },
  })
  await using _one = await startRunner(world.url, token)
  await using _other = await startRunner(world.url, token)
  await eventually(
    'both runners to be there',
    () => client.done<Runner[]>('GET', `/runners?executionEnvironmentId=${pool.id}`),
    (all) => all.length === 2,
  )
  const steps = Array.from({ length: 20 }, (_, nth) => {
    const content = nth % 10
    const files = { 'page.a': `a ${content}`, 'page.b': `b ${content}`, 'page.c': `c ${content}` }
    const given = { module_instance_id, source: { files }, force: true }
    return { id: `build-${nth}`, type: 'build', needs: [], execution_environment_id: pool.id, with: given }
  })
  const run = await pipelines.run(steps)
  const over = await pipelines.untilOver(run.id, 100_000)
  expect(over, JSON.stringify(over.error)).toMatchObject({ status: 'SUCCESS' })

  const executions = await pipelines.steps(run.id)
  const made = new Map<number, Set<unknown>>()
  for (const { stepId, outputData } of executions) {
    const content = Number(stepId.replace('build-', '')) % 10
    made.set(content, (made.get(content) ?? new Set()).add(outputData?.artifact_id))
  }
  expect([...made.values()].map(({ size }) => size)).toEqual(Array.from({ length: 10 }, () => 1))
  const artifacts = await client.done<Artifact[]>('GET', `/artifacts?moduleInstanceId=${module_instance_id}&limit=100`)
  expect(artifacts).toHaveLength(10)
  const statements = await Promise.all(
    artifacts.map(({ id }) => client.done<Provenance>('GET', `/artifacts/${id}/provenance`)),
  )
  const runners = statements.map(({ predicate }) => predicate.buildDefinition.internalParameters.runnerId)
  expect(new Set(runners).size, 'runners that published').toBe(2)
  const { Contents = [] } = await clients.storage.send(new ListObjectsV2Command({ Bucket: site.bucket }))
  const whole = artifacts.flatMap(({ deployInputs: { directory } }) =>
    ['page.a', 'page.b', 'page.c'].map((name) => ({ Key: `${directory}/${name}`, Size: 3 })),
  )
  const stored = Contents.map(({ Key, Size }) => ({ Key, Size }))
  expect(new Set(stored.map((one) => JSON.stringify(one)))).toEqual(new Set(whole.map((one) => JSON.stringify(one))))
  expect(stored).toHaveLength(30)
})

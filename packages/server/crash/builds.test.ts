import type { Artifact, Project } from '@sluice/contract'
import { expect, test } from 'vitest'
import { Pipelines } from '../src/testing/pipelines.ts'
import { createTestSite } from '../src/testing/static-site.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { openGateway } from './gateway.ts'
import { Moments } from './moments.ts'
import { PatientClient } from './patient-client.ts'

/** A site whose releases are built. */
async function settle(world: World) {
  const organization = await world.organization({ delivery: false })
  const build = {
    type: 'static',
    builder: { type: 'commands', build_cmd: 'mkdir dist && cp page.* dist', output_directory: 'dist' },
    destinations: [{ id: 'site', type: 's3', bucket: '<< module.input.bucket >>', region: 'eu-west-1' }],
    infrastructure: { cloud_account_id: organization.cloudAccountId },
  }
  const { moduleInstanceId, site } = await createTestSite(world, organization, { releases: [], build })
  const client = new PatientClient(world.url, organization.client.token)
  return { client, moduleInstanceId, bucket: site.bucket }
}

const everyCall = 1_000_000

test('a build is published and released once, whichever call is the last that the cloud did before a kill', async () => {
  const moments = new Moments()
  const { service, cloud, people } = await startCrashWorld({
    speed: 1_200,
    people: settle,
    env: { SLUICE_RUNNER_ISOLATION: 'none' },
    gateway: (cloudUrl) => openGateway(cloudUrl, moments),
  })
  const { client, moduleInstanceId: module_instance_id } = people
  const [project] = await client.done<Project[]>('GET', '/projects')
  const pipelines = new Pipelines(client, project?.id ?? '')
  const stored = new Set<string>()
  await moments.killAtEach(service, {
    async release(moment) {
      const source = { files: { 'page.a': `a ${moment}`, 'page.b': `b ${moment}` } }
      const { id } = await pipelines.run([
        { id: 'build', type: 'build', with: { module_instance_id, source } },
        { id: 'release', type: 'deploy', with: { module_instance_id } },
      ])
      const over = await pipelines.untilOver(id, 120_000)
      expect(over, `killed at moment ${moment}: ${JSON.stringify(over.error)}`).toMatchObject({ status: 'SUCCESS' })
      const { outputData } = await pipelines.step(id, 'build')
      for (const name of ['page.a', 'page.b']) stored.add(`${outputData?.directory}/${name}`)
    },
  })
  expect(service.kills).toBeGreaterThan(4)
  const path = `/artifacts?moduleInstanceId=${module_instance_id}&limit=100`
  const artifacts = await client.done<Artifact[]>('GET', path)
  expect(artifacts).toHaveLength(service.kills + 1) // one of each round, the last of which was let be
  const puts = await cloud.calls({ operation: 'PutObject', accepted: true, limit: everyCall })
  const keys = new Set(puts.map(({ request }) => (request as { Key: string }).Key))
  expect(keys).toEqual(stored)
  const served = await cloud.calls({ operation: 'PutKey', accepted: true, limit: everyCall })
  expect(served.map(({ request }) => (request as { Value: string }).Value)).toEqual(
    artifacts.toReversed().map(({ deployInputs }) => deployInputs.directory),
  )
})

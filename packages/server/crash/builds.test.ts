import type { Artifact, Project } from '@sluice/contract'
import { findLayerCacheProblem } from '@sluice/runner/builds/layer-cache.fixture'
import { expect, onTestFinished, test } from 'vitest'
import { startRegistry } from '../src/pipelines/builds/registry.fixture.ts'
import { isOnPath } from '../src/testing/on-path.ts'
import { Pipelines } from '../src/testing/pipelines.ts'
import { createTestSite } from '../src/testing/static-site.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { openGateway } from './gateway.ts'
import { KillAfterCallWatcher } from './moments.ts'
import { createAccountUsers, programReleasesPerKill } from './parties.ts'
import { PatientClient } from './patient-client.ts'

const files = () => ({
  type: 'static',
  builder: { type: 'commands', build_cmd: 'mkdir dist && cp page.* dist', output_directory: 'dist' },
  destinations: [{ id: 'site', type: 's3', bucket: '<< module.input.bucket >>', region: 'eu-west-1' }],
})

const repository = 'shop/web'
const image = ({ accountNumber }: TestOrganization) => ({
  type: 'image',
  builder: { type: 'dockerfile' },
  destinations: [
    { id: 'images', type: 'ecr', repository_arn: `arn:aws:ecr:eu-west-1:${accountNumber}:repository/${repository}` },
  ],
})

/** Creates a site with a build. */
const settle =
  (what: (organization: TestOrganization) => object) => async (world: World, organization: TestOrganization) => {
    const build = { ...what(organization), infrastructure: { cloud_account_id: organization.cloudAccountId } }
    const { moduleInstanceId, site } = await createTestSite(world, organization, { releases: [], build })
    const client = new PatientClient(world.url, organization.client.token)
    return { client, moduleInstanceId, bucket: site.bucket }
  }

const everyCall = 1_000_000

test('a build is published and released once, whichever call of the cloud was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, cloud, people } = await startCrashWorld({
    speed: 1_200,
    people: createAccountUsers(programReleasesPerKill, settle(files)),
    env: { SLUICE_RUNNER_ISOLATION: 'none' },
    gateway: (cloudUrl) => openGateway(cloudUrl, moments),
  })
  const prepared = people.map(async (party) => {
    const [project] = await party.client.done<Project[]>('GET', '/projects')
    const pipelines = new Pipelines(party.client, project?.id ?? '')
    return { ...party, pipelines, stored: new Set<string>(), built: 0 }
  })
  const builders = await Promise.all(prepared)
  const count = await moments.killAtEach(service, builders, {
    async release(builder, moment) {
      const { pipelines, moduleInstanceId: module_instance_id, stored } = builder
      const source = { files: { 'page.a': `a ${moment}`, 'page.b': `b ${moment}` } }
      const { id } = await pipelines.run([
        { id: 'build', type: 'build', with: { module_instance_id, source } },
        { id: 'release', type: 'deploy', with: { module_instance_id } },
      ])
      const over = await pipelines.untilOver(id, 120_000)
      expect(over, `killed at moment ${moment}: ${JSON.stringify(over.error)}`).toMatchObject({ status: 'SUCCESS' })
      const { outputData } = await pipelines.step(id, 'build')
      for (const name of ['page.a', 'page.b']) stored.add(`${outputData?.directory}/${name}`)
      builder.built += 1
    },
  })
  expect(count).toBeGreaterThan(4)
  for (const { client, moduleInstanceId, accountNumber: account, stored, built } of builders) {
    const path = `/artifacts?moduleInstanceId=${moduleInstanceId}&limit=100`
    const artifacts = await client.done<Artifact[]>('GET', path)
    expect(artifacts).toHaveLength(built)
    const puts = await cloud.calls({ operation: 'PutObject', account, accepted: true, limit: everyCall })
    const keys = new Set(puts.map(({ request }) => (request as { Key: string }).Key))
    expect(keys).toEqual(stored)
    const served = await cloud.calls({ operation: 'PutKey', account, accepted: true, limit: everyCall })
    expect(served.map(({ request }) => (request as { Value: string }).Value)).toEqual(
      artifacts.toReversed().map(({ deployInputs }) => deployInputs.directory),
    )
  }
})

const missing = (await findLayerCacheProblem()) ?? (isOnPath('docker-registry') ? undefined : 'docker-registry')
if (missing) console.info(`skipped: no layers of images are kept here: ${missing}`)

test.skipIf(missing)('image layers stay usable, whenever the service and its runner are killed', async () => {
  const registry = await startRegistry()
  onTestFinished(() => registry.stop())
  const moments = new KillAfterCallWatcher()
  const { service, cloud, people } = await startCrashWorld({
    speed: 1_200,
    people: createAccountUsers(1, settle(image)),
    env: { SLUICE_RUNNER_ISOLATION: 'none' },
    gateway: (cloudUrl) => openGateway(cloudUrl, moments),
  })
  await cloud.putRegistry({ endpoint: registry.endpoint })
  const [{ client, moduleInstanceId: module_instance_id }] = people
  const [project] = await client.done<Project[]>('GET', '/projects')
  const pipelines = new Pipelines(client, project?.id ?? '')
  const runs = new Map<string, string>()
  async function built(page: string): Promise<string> {
    const dockerfile = 'FROM scratch\nCOPY base /\nLABEL of=crash\nCOPY page /\n'
    const source = { files: { Dockerfile: dockerfile, base: 'base', page } }
    const { id } = await pipelines.run([{ id: 'build', type: 'build', with: { module_instance_id, source } }])
    const over = await pipelines.untilOver(id, 120_000)
    expect(over, `${page}: ${JSON.stringify(over.error)}`).toMatchObject({ status: 'SUCCESS' })
    const step = await pipelines.step(id, 'build')
    runs.set(id, String(step.outputData?.digest))
    const lines = await client.done<{ text: string }[]>('GET', `/pipeline-step-executions/${step.id}/logs?limit=100`)
    return lines.map(({ text }) => text).join('\n')
  }
  // One after another: each build finds the layers of the previous one.
  const release = async (_: unknown, moment: number) => void (await built(`page ${moment}`))
  expect(await moments.killAtEach(service, people, { release })).toBeGreaterThan(2)
  await built('one more')
  const log = await built('the last')
  expect(log).toContain('Reused cached layers for 2 of 3 steps')
  const path = `/artifacts?moduleInstanceId=${module_instance_id}&limit=100`
  const artifacts = await client.done<Artifact[]>('GET', path)
  expect(artifacts.map(({ digest }) => digest).toSorted()).toEqual([...runs.values()].toSorted())
  const { tags } = (await (await fetch(`${registry.endpoint}/v2/${repository}/tags/list`)).json()) as { tags: string[] }
  const pushed = tags.filter((tag) => tag.startsWith('run_')).map((tag) => tag.split('-')[0])
  expect(pushed.toSorted()).toEqual([...runs.keys()].toSorted())
})

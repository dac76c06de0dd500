import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { Artifact, AuditEvent, Project } from '@sluice/contract'
import pg from 'pg'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { Pipelines } from '../src/testing/pipelines.ts'
import { createTestSite } from '../src/testing/static-site.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { openGateway } from './gateway.ts'
import { KillAfterCallWatcher } from './moments.ts'
import { createAccountUsers } from './parties.ts'
import { PatientClient } from './patient-client.ts'

/** Creates a site with builds. */
async function settle(world: World, organization: TestOrganization) {
  const build = {
    type: 'static',
    builder: { type: 'commands', build_cmd: 'mkdir dist && cp page.* dist', output_directory: 'dist' },
    destinations: [{ id: 'site', type: 's3', bucket: '<< module.input.bucket >>', region: 'eu-west-1' }],
    infrastructure: { cloud_account_id: organization.cloudAccountId },
  }
  const { moduleInstanceId, site } = await createTestSite(world, organization, { releases: [], build })
  const client = new PatientClient(world.url, organization.client.token)
  return { client, moduleInstanceId, bucket: site.bucket, storage: organization.clients.storage }
}

/** SQL that makes all builds old and ends the leases of dead processes. */
const ageing = `
  update artifacts set created_at = now() - interval '9 days', taken_at = null;
  update artifacts set removal_try_at = now() where removal_try_at is not null;
  update artifact_retentions set wake_at = now() - interval '1 minute'`

test('unneeded builds are removed once and completely, and nothing else, whichever call was the last before a kill', async ({
  skip,
}) => {
  const moments = new KillAfterCallWatcher()
  const { service, people, databaseUrl } = await startCrashWorld({
    speed: 1_200,
    people: createAccountUsers(1, settle),
    env: { SLUICE_RUNNER_ISOLATION: 'none' },
    gateway: (cloudUrl) => openGateway(cloudUrl, moments),
  })
  skip(databaseUrl === undefined, 'the clock is moved in the database, which needs a server')
  const database = new pg.Pool({ connectionString: databaseUrl })
  const [{ client, moduleInstanceId: module_instance_id, bucket, storage }] = people
  const data = { isEnabled: true, keepDays: 1, keepLatest: 1 }
  await client.done('PATCH', '/artifacts/retention', { data })
  const [project] = await client.done<Project[]>('GET', '/projects')
  const pipelines = new Pipelines(client, project?.id ?? '')
  const ran = async (...steps: { id: string; [more: string]: unknown }[]) => {
    const { id } = await pipelines.run(steps)
    expect(await pipelines.untilOver(id, 120_000)).toMatchObject({ status: 'SUCCESS' })
    return String((await pipelines.step(id, 'build')).outputData?.artifact_id)
  }
  const build = (page: string) => ({
    id: 'build',
    type: 'build',
    with: { module_instance_id, source: { files: { 'page.a': `a ${page}`, 'page.b': `b ${page}` } } },
  })
  const released = await ran(build('released'), { id: 'release', type: 'deploy', with: { module_instance_id } })
  const get = (id: string) => client.done<Artifact>('GET', `/artifacts/${id}`)
  const removed: string[] = []
  let last = ''
  // One after another, because the clock changes for all.
  const count = await moments.killAtEach(service, people, {
    async prepare(_, moment) {
      if (last !== '') removed.push(last)
      removed.push(await ran(build(`${moment}, first`)))
      last = await ran(build(`${moment}, last`))
      return removed.slice(-2)
    },
    async release(_, moment, unneeded) {
      const killsBefore = service.kills
      await database.query(ageing)
      for (const id of unneeded) {
        await eventually(
          `${id} to be removed though the service was killed at moment ${moment}`,
          async () => {
            const { removal } = await get(id)
            if (removal?.removedAt === undefined && service.kills > killsBefore) await database.query(ageing)
            return removal
          },
          (removal) => removal?.removedAt !== undefined,
          120_000,
        )
      }
    },
  })
  await database.end()
  expect(count).toBeGreaterThan(1)
  const { Contents = [] } = await storage.send(new ListObjectsV2Command({ Bucket: bucket }))
  const kept = await Promise.all([released, last].map(get))
  const pages = kept.flatMap(({ deployInputs: { directory } }) => [`${directory}/page.a`, `${directory}/page.b`])
  expect(Contents.map(({ Key }) => Key).toSorted()).toEqual(pages.toSorted())
  for (const artifact of kept) expect(artifact).not.toHaveProperty('removal')
  const lines = await client.done<AuditEvent[]>('GET', '/audit-events?action=artifacts.remove&limit=100')
  expect(lines.map(({ resourceId }) => resourceId).toSorted()).toEqual(removed.toSorted())
})

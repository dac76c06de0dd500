import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Artifact, Deployment } from '@sluice/contract'
import { sql } from '@sluice/server/platform/db/drizzle'
import { sharedWorld, type World } from '@sluice/server/testing'
import { createTestSite } from '@sluice/server/testing/static-site'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runToCompletion } from '../testing/command-line.ts'

let world: World
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-builds-'))
  world = await sharedWorld()
})
afterAll(() => rm(directory, { recursive: true }))

const destinations = [
  { id: 'pages', type: 's3', bucket: '<< module.input.bucket >>', region: 'eu-west-1', directory: 'releases' },
]
const blockOf = (cloudAccountId: string) => ({
  type: 'static',
  source: { type: 'git', repo: 'https://github.com/acme/site' },
  destinations,
  builder: { type: 'commands', build_cmd: 'mkdir dist && cp index.html dist', output_directory: 'dist' },
  infrastructure: { cloud_account_id: cloudAccountId },
})

/** Creates an organization with a site that is built, and returns a function that runs the command line. */
async function place() {
  const org = await world.organization()
  const site = await createTestSite(world, org, { releases: [], build: blockOf(org.cloudAccountId) })
  const env = { SLUICE_URL: world.url, SLUICE_TOKEN: org.client.token }
  const sluice = (...words: string[]) => runToCompletion(directory, words, env)
  /** Creates a pipeline that builds the site from the input `ref`. */
  const pipeline = () =>
    org.pipelines.create({
      inputs: [{ id: 'ref', type: 'string', default: 'main' }],
      steps: [
        {
          id: 'build',
          type: 'build',
          with: {
            module_instance_id: site.moduleInstanceId,
            source: { files: { 'index.html': '<h1><< inputs.ref >></h1>' } },
          },
        },
      ],
    })
  return { org, site, sluice, pipeline }
}

test('an instance is built by its only build pipeline or by the named one', async () => {
  const { org, site, sluice, pipeline } = await place()
  const { moduleInstanceId: id } = site
  await org.pipelines.create({ steps: [{ id: 'ask', type: 'approval' }] })
  const nobody = await sluice('build', id)
  expect([nobody.code, nobody.text]).toEqual([2, expect.stringContaining('name one that does with --pipeline')])
  expect(await sluice('artifacts', id)).toMatchObject({ code: 0, text: expect.stringContaining('Nothing was built') })

  const first = await pipeline()
  const built = await sluice('build', id, '--ref', 'v2', '--wait')
  expect([built.code, built.text]).toEqual([0, expect.stringMatching(/build: SUCCESS\nSUCCESS\n$/)])
  expect(await sluice('artifacts', id, '-o', 'name')).toMatchObject({ text: expect.stringMatching(/^art_\w+\n$/) })

  await pipeline()
  const several = await sluice('build', id)
  expect([several.code, several.text]).toEqual([2, expect.stringContaining('name one with --pipeline')])
  // A repeated build reuses the artifact.
  expect(await sluice('build', id, '--ref', 'v2', '--wait', '--pipeline', first.id)).toMatchObject({ code: 0 })
  const list = await org.client.done<Artifact[]>('GET', `/artifacts?moduleInstanceId=${id}`)
  expect(list).toHaveLength(1)
})

test('the artifact of a commit is released, and a commit without artifacts is an error', async () => {
  const { org, site, sluice, pipeline } = await place()
  await pipeline()
  await sluice('build', site.moduleInstanceId, '--wait')
  const [artifact] = await org.client.done<Artifact[]>('GET', `/artifacts?moduleInstanceId=${site.moduleInstanceId}`)
  if (!artifact) throw new Error('nothing was built')
  const commit = '4f2a9c1b'.repeat(5)
  // The artifact was built from files; this is the commit it would have from a Git host.
  await world.db.execute(sql`update artifacts set commit = ${commit} where id = ${artifact.id}`)

  const released = await sluice('release', commit.slice(0, 8), '--wait')
  expect([released.code, released.text]).toEqual([0, expect.stringContaining(`releases ${artifact.id} to`)])
  const [deployment] = await org.client.done<Deployment[]>(
    'GET',
    `/deployments?moduleInstanceId=${site.moduleInstanceId}`,
  )
  expect(deployment).toMatchObject({ status: 'SUCCESS', description: `Release ${commit.slice(0, 8)}` })
  expect(await site.active()).toBe(artifact.deployInputs.directory)

  const unknown = await sluice('release', '0000000')
  expect([unknown.code, unknown.text]).toEqual([2, expect.stringContaining('Nothing was built of 0000000')])
  const short = await sluice('release', '4f2a')
  expect([short.code, short.text]).toEqual([2, expect.stringContaining('use at least 7 digits')])
})

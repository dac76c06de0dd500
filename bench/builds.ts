import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startWorld } from '@sluice/server/testing'
import { createTestSite } from '../packages/server/src/testing/static-site.ts'
import { useDatabase } from './database.ts'
import { budget, flags, percentile, publish, round, spread } from './report.ts'

const { rounds, pages, work, database: kind } = flags({ rounds: 7, pages: 200, work: 10 })

/** Build script that writes pages and takes about as long as a fast bundler. */
const script = `mkdir -p dist && i=0
while [ $i -lt ${pages} ]; do i=$((i+1)); echo "page $i of $(cat salt)" >dist/$i.html; done
sleep ${work}`

const database = await useDatabase(kind)
await using world = await startWorld()
const organization = await world.organization({ delivery: false })
const { pipelines } = organization
const { moduleInstanceId: module_instance_id } = await createTestSite(world, organization, {
  releases: [],
  build: {
    type: 'static',
    builder: { type: 'commands', build_cmd: 'sh build.sh', output_directory: 'dist' },
    destinations: [{ id: 'site', type: 's3', bucket: '<< module.input.bucket >>', region: 'eu-west-1' }],
    infrastructure: { cloud_account_id: organization.cloudAccountId },
  },
})

const through: number[] = []
const bare: number[] = []
// Alternates within each round, so that other load affects both.
for (let nth = 0; nth < rounds; nth++) {
  through.push(await throughSluice(nth))
  bare.push(await byHand(nth))
}

const [ours, theirs] = [percentile(through, 0.5), percentile(bare, 0.5)]
const most = theirs * 1.15 + 2_000
await publish({
  name: 'builds',
  what: [
    `A site of ${pages} pages whose command takes ${work} s, ${rounds} times of another content. Through Sluice: a run of a build`,
    'step, from the POST to the end of the run, with the pages stored in the simulated cloud and the artifact written down.',
    'Bare: the same command in a folder, and nothing stored.',
  ],
  database,
  rows: [
    { ms: 'through Sluice', ...spread(through) },
    { ms: 'bare', ...spread(bare) },
    { ms: 'at most', p50: round(most), budget: budget(ours, (value) => value <= most, '≤ 1.15 × bare + 2 s') },
  ],
})

async function throughSluice(nth: number): Promise<number> {
  const files = { 'build.sh': script, salt: `${nth}` }
  const build = { id: 'build', type: 'build', with: { module_instance_id, source: { files } } }
  const { id } = await pipelines.create({ steps: [build] })
  const startedAt = performance.now()
  const run = await pipelines.start(id)
  const { status } = await pipelines.untilOver(run.id, 300_000)
  if (status !== 'SUCCESS') throw new Error(JSON.stringify(await pipelines.steps(run.id), null, 2))
  return performance.now() - startedAt
}

async function byHand(nth: number): Promise<number> {
  const cwd = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  try {
    const startedAt = performance.now()
    await writeFile(join(cwd, 'build.sh'), script)
    await writeFile(join(cwd, 'salt'), `${nth}`)
    await promisify(execFile)('sh', ['build.sh'], { cwd })
    return performance.now() - startedAt
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startWorld } from '@sluice/server/testing'
import { Pipelines } from '../packages/server/src/testing/pipelines.ts'
import { useDatabase } from './database.ts'
import { budget, flags, percentile, publish, round, spread } from './report.ts'

const { rounds, resources, database: kind } = flags({ rounds: 7, resources: 40 })

/** Configuration whose resources take some time to create, like cloud resources. */
const main = `
resource "terraform_data" "thing" {
  count = ${resources}
  input = "thing \${count.index}"
  provisioner "local-exec" { command = "sleep 0.5" }
}
output "count" { value = length(terraform_data.thing) }
`

const database = await useDatabase(kind)
await using world = await startWorld()
const { client } = await world.organization()
const [project] = await client.done<{ id: string }[]>('GET', '/projects')
const pipelines = new Pipelines(client, project?.id ?? '')

const through: number[] = []
const bare: number[] = []
// Alternates within each round, so that other load affects both.
for (let nth = 0; nth < rounds; nth++) {
  through.push(await throughSluice(nth))
  bare.push(await byHand())
}

const ratio = percentile(through, 0.5) / percentile(bare, 0.5)
await publish({
  name: 'iac',
  what: [
    `A stack of ${resources} resources that take half a second each, ten at a time, ${rounds} times new. Through Sluice: a run`,
    'of a plan step and an apply step, from the POST to the end of the run, with states and plans encrypted in the database.',
    'Bare: `init`, `plan` and `apply` of the same tool in a folder, with the state in a file.',
  ],
  database,
  rows: [
    { ms: 'through Sluice', ...spread(through) },
    { ms: 'bare', ...spread(bare) },
    { ms: 'ratio', p50: round(ratio), budget: budget(ratio, (value) => value <= 1.25, '≤ 1.25') },
  ],
})

async function throughSluice(nth: number): Promise<number> {
  const givenId = `bench-${nth}`
  await client.done('POST', '/stacks', { data: { projectId: pipelines.projectId, givenId, name: 'Bench' } })
  const { id } = await pipelines.create({
    steps: [
      { id: 'plan', type: 'iac:plan', with: { stack: givenId, source: { files: { 'main.tf': main } } } },
      { id: 'apply', type: 'iac:apply' },
    ],
  })
  const startedAt = performance.now()
  const run = await pipelines.start(id)
  const { status } = await pipelines.untilOver(run.id)
  if (status !== 'SUCCESS') throw new Error(JSON.stringify(await pipelines.steps(run.id), null, 2))
  return performance.now() - startedAt
}

async function byHand(): Promise<number> {
  const cwd = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  try {
    await writeFile(join(cwd, 'main.tf'), main)
    const env = { PATH: process.env.PATH ?? '', HOME: cwd, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' }
    const tool = (...args: string[]) => promisify(execFile)('terraform', args, { cwd, env })
    const startedAt = performance.now()
    await tool('init', '-input=false')
    await tool('plan', '-input=false', '-out=plan')
    await tool('apply', '-input=false', 'plan')
    return performance.now() - startedAt
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

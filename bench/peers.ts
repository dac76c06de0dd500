import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { useDatabase } from './database.ts'
import type { Measured } from './peers/measured.ts'
import { flags, percentile, publish, round } from './report.ts'

const { rounds, database: _, ...sizes } = flags({ rounds: 5, runs: 50, steps: 20, warm: 5, abreast: 50 })
const { runs, steps, warm, abreast } = sizes
const total = runs * steps
const database = await useDatabase('postgres')

const peers = { 'bare spawn': 'bare', Sluice: 'sluice', DBOS: 'dbos', 'Graphile Worker': 'graphile-worker' }
const measured = new Map<string, Measured[]>(Object.keys(peers).map((name) => [name, []]))
for (let time = 0; time < rounds; time += 1) {
  for (const [name, file] of Object.entries(peers)) measured.get(name)?.push(await roundOf(file))
}

const perSecond = (name: string) => median(name, ({ wallMs }) => total / (wallMs / 1_000))
await publish({
  name: 'peers',
  what: [
    `${runs} runs of ${steps} steps that spawn \`true\`, each step after the one before it; all runs are started at once, and as`,
    `many as ${abreast} steps are carried out at a time. One after the other in ${rounds} rounds, of which the medians stand here; each time`,
    `in processes and a database of its own, after ${warm} such runs. Nobody isolates programs. DBOS: a workflow with steps; Graphile`,
    'Worker: jobs, each of which adds the next. Processor time is of all processes, the database server among them.',
  ],
  database,
  rows: Object.keys(peers).map((name) => ({
    what: name,
    'steps/s': round(perSecond(name)),
    'processor ms per step': round(median(name, ({ processorMs }) => processorMs / total)),
  })),
})
console.log(`ratio: ${round(perSecond('Sluice') / perSecond('DBOS'))}`)

function median(name: string, figure: (one: Measured) => number): number {
  return percentile((measured.get(name) ?? []).map(figure), 0.5)
}

async function roundOf(file: string): Promise<Measured> {
  const words = Object.entries(sizes).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = fork(fileURLToPath(new URL(`./peers/${file}.ts`, import.meta.url)), words)
  let told: Measured | undefined
  child.on('message', (message) => {
    told = message as Measured
  })
  const [code] = await once(child, 'exit')
  if (code !== 0 || told === undefined) throw new Error(`${file} ended with ${code}`)
  return told
}

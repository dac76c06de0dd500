import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { PGlite } from '@electric-sql/pglite'
import { rehearsalScenarios } from '@sluice/contract'
import { canary, jobWith } from '../packages/rehearsals/src/job.fixture.ts'
import { budget, flags, publish, round } from './report.ts'

/** Milliseconds per clock tick in Linux. */
const msPerTick = 10

const { runs } = flags({ runs: 3 })

const program = createRequire(new URL('../packages/server/package.json', import.meta.url)).resolve('@sluice/rehearsals')
const stages = ['PRE_SCALE_UP', 'POST_SCALE_UP', 'POST_TEST_TRAFFIC_SHIFT', 'PRE_PRODUCTION_TRAFFIC_SHIFT'] as const
const fivePauses = {
  ...canary,
  pauseStages: stages.map((stage) => ({ stage, timeoutInMinutes: 1_440, timeoutAction: 'ROLLBACK' as const })),
}

const bareStartMs = await medianOf(startPglite)
const one = await costOf(['NO_FAULT'])
const ten = await costOf(rehearsalScenarios)

await publish({
  name: 'rehearsals',
  what: [
    `The program that rehearses, as the server starts it: a canary of four tasks with five pauses, alone and in all scenarios.`,
    `Processor and wall time of the process from its start to its end, in seconds; the median of ${runs} runs. Beside it, the wall time`,
    'of the start of a bare PGlite in this process.',
  ],
  rows: [
    {
      rehearsal: 'a canary with five pauses',
      ...secondsOf(one),
      budget: [
        budget(one.processorMs, (ms) => ms <= 2_000, '≤ 2 s of processor time'),
        budget(one.wallMs / bareStartMs, (times) => times <= 3, '≤ 3 × PGlite'),
      ].join(', '),
    },
    {
      rehearsal: 'the same in ten scenarios',
      ...secondsOf(ten),
      budget: [
        budget(ten.processorMs, (ms) => ms <= 15_000, '≤ 15 s of processor time'),
        budget(ten.wallMs / bareStartMs, (times) => times <= 10, '≤ 10 × PGlite'),
      ].join(', '),
    },
  ],
})

type Cost = { processorMs: number; wallMs: number }

function secondsOf({ processorMs, wallMs }: Cost) {
  return {
    processor: round(processorMs / 1_000),
    wall: round(wallMs / 1_000),
    'bare PGlite': round(bareStartMs / 1_000),
  }
}

async function costOf(scenarios: readonly (typeof rehearsalScenarios)[number][]): Promise<Cost> {
  const costs: Cost[] = []
  for (let run = 0; run < runs; run++)
    costs.push(await costOfOne(JSON.stringify(jobWith(fivePauses, { scenarios: [...scenarios] }))))
  const median = (of: (cost: Cost) => number) => costs.map(of).sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN
  return { processorMs: median(({ processorMs }) => processorMs), wallMs: median(({ wallMs }) => wallMs) }
}

async function costOfOne(job: string): Promise<Cost> {
  const [before, startedAt] = [childrenMs(), performance.now()]
  const child = spawn(process.execPath, ['--permission', '--allow-fs-read=*', program], {
    env: {},
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin?.end(job)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the rehearsal ended with ${code}`)
  return { processorMs: childrenMs() - before, wallMs: performance.now() - startedAt }
}

/** Returns the processor time of this process's ended children. */
function childrenMs(): number {
  const afterName = readFileSync('/proc/self/stat', 'utf8').split(') ')[1] ?? ''
  const [user = '', system = ''] = afterName.split(' ').slice(13, 15)
  return (Number(user) + Number(system)) * msPerTick
}

async function startPglite(): Promise<number> {
  const startedAt = performance.now()
  const database = await PGlite.create()
  await database.query('select 1')
  const ms = performance.now() - startedAt
  await database.close()
  return ms
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const values: number[] = []
  for (let run = 0; run < runs; run++) values.push(await measure())
  return values.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN
}

import { readFileSync } from 'node:fs'
import type { Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'
import { expectEachEffectOnce } from './effects.ts'
import type { Part } from './installation.ts'
import { ownEndsOf } from './load.ts'
import { metricOf } from './metric-of.ts'
import { startInstallation } from './test-installation.ts'

const token = 'reads-the-metrics-of-this-test-alone'
/** Offset of the clock in seconds, twice the tolerance of the engine's signatures. */
const offsetSeconds = 120
const env = {
  SLUICE_METRICS_TOKEN: token,
  CLOCK_OFFSET_MS: String(offsetSeconds * 1_000),
  NODE_OPTIONS: `--import=${new URL('movable-clock.ts', import.meta.url).href}`,
}

type People = { organization: TestOrganization; moduleInstanceIds: string[] }

/** Two processes can share a database only on a server. */
const hasServer = process.env.TEST_DATABASE_URL !== undefined

test.runIf(hasServer)(
  'a worker whose clock is 120 s off leaves all work to the other one until its clock is right',
  async () => {
    const installation = await startInstallation({ speed: 600, people: settle, env })
    const { workers, people, cloud } = installation
    const { organization, moduleInstanceIds } = people
    const [wrong, right] = workers as [Part, Part]
    const releaseAll = async () => {
      const startedAt = performance.now()
      const begun = await Promise.all(moduleInstanceIds.map((id) => organization.deploy(id)))
      await Promise.all(begun.map(({ id }) => organization.untilStatus(id, 'SUCCESS')))
      return Math.round(performance.now() - startedAt)
    }
    const before = await releaseAll()

    moveClock(wrong)
    const movedAt = performance.now()
    const clockOf = () => failedChecksOf(wrong)
    await eventually('the worker to say that its clock is wrong', clockOf, (failed) => failed.includes('clock'))
    const noticedAfter = Math.round(performance.now() - movedAt)
    const meanwhile = await releaseAll()
    console.log(`ms: ${before} for all before, ${noticedAfter} to be noticed, ${meanwhile} for all meanwhile`)
    expect(await metricOf(wrong.url, token, 'sluice_clock_offset_seconds')).toBeCloseTo(offsetSeconds, 0)
    expect(Math.abs(await metricOf(right.url, token, 'sluice_clock_offset_seconds'))).toBeLessThan(2)
    const lines = readFileSync(wrong.process.logFile, 'utf8').split('\n')
    expect(lines.filter((line) => line.includes('accepts no work until they agree'))).toHaveLength(1)
    const calls = await metricOf(wrong.url, token, 'sluice_worker_last_message_timestamp_seconds')
    expect(calls, 'a worker that has withdrawn serves nothing: see withdraw in engine.ts').toBe(0)

    moveClock(wrong)
    await eventually('the worker to take work again', wrong.isReady, Boolean)
    await releaseAll()
    await expectEachEffectOnce(cloud, await organization.client.all<Deployment>('/deployments'))
    expect(ownEndsOf(installation)).toEqual([])
  },
)

function moveClock({ process: { pid } }: Part): void {
  if (pid === undefined) throw new Error('the worker does not run')
  process.kill(pid, 'SIGUSR2')
}

async function failedChecksOf({ url }: Part): Promise<string[]> {
  const answer = await fetch(`${url}/health/ready`)
  const { metadata } = (await answer.json()) as { metadata?: { checks: Record<string, string> } }
  return Object.keys(metadata?.checks ?? {})
}

async function settle(world: World): Promise<People> {
  const organization = await world.organization()
  const moduleInstanceIds: string[] = []
  for (let index = 0; index < 8; index += 1) moduleInstanceIds.push((await organization.service(null)).moduleInstanceId)
  return { organization, moduleInstanceIds }
}

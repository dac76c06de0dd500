import { readFileSync } from 'node:fs'
import { type Deployment, isDeploymentOver } from '@sluice/contract'
import { expect, test } from 'vitest'
import { blueGreen } from '../src/testing/strategies.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'
import { expectEachEffectOnce } from './effects.ts'
import { type Part, untilReady } from './installation.ts'
import { endsIn, follow, ownEndsOf, reading } from './load.ts'
import { startInstallation } from './test-installation.ts'

/** Three looks of a load balancer on a machine that is busy with other tests. */
const drainSeconds = 6
/** Longer than any handler takes here, the slow calls of the cloud included. */
const finishSeconds = 20
/** What it says in docs/reference/configuration.md of the end of a process. Milliseconds. */
const endsWithinMs = (drainSeconds + finishSeconds + 5) * 1_000
/** What a call of the cloud takes while workers are restarted, of which a handler makes several. Milliseconds. */
const slowMs = 2_500

type People = { apiUrl: string; organization: TestOrganization; moduleInstanceIds: string[] }

/** Two processes share a database only where that is a server. */
const hasServer = process.env.TEST_DATABASE_URL !== undefined

test.runIf(hasServer)(
  'each of two APIs and two workers is restarted under load: no call fails, and each release reaches the cloud once',
  async () => {
    const installation = await startInstallation({
      speed: 600,
      people: settle,
      env: { SLUICE_DRAIN_SECONDS: String(drainSeconds), SLUICE_FINISH_SECONDS: String(finishSeconds) },
    })
    const { apis, workers, people, failures, cloud } = installation
    const isOver = new AbortController()
    const load = Promise.all([
      Promise.all(people.moduleInstanceIds.map((id) => releasing(people.organization, id, isOver.signal))),
      follow(people.apiUrl, people.organization.client, isOver.signal),
      ...[1, 2].map(() => reading(people.organization.client, isOver.signal)),
    ])
    load.catch(() => isOver.abort()) // it is told below, after what the proxy knows of it
    for (const part of apis) if (!isOver.signal.aborted) await restart(part)
    await cloud.addFault({ kind: 'slow', service: 'ecs', delayMs: slowMs })
    for (const part of workers) if (!isOver.signal.aborted) await restart(part)
    await cloud.clearFaults()
    isOver.abort()
    expect(failures).toEqual([])
    const [releases, { comebacks, resets }] = await load
    const released = releases.flat()

    expect(released.length).toBeGreaterThan(people.moduleInstanceIds.length)
    expect(released.filter(({ status }) => status !== 'SUCCESS')).toEqual([])
    expect(comebacks, 'times that the stream of changes ended cleanly and was asked for again').toBeGreaterThan(0)
    expect(resets, 'times that changes were missed').toBe(0)
    expect(ownEndsOf(installation)).toEqual([])
    await expectEachEffectOnce(cloud, released)
    const log = [...apis, ...workers].map(({ process }) => readFileSync(process.logFile, 'utf8')).join('')
    expect(endsIn(log), 'ends in the log, each once, by whichever process').toEqual(
      released.map(({ id }) => id).toSorted(),
    )
    expect(log, 'what handlers had begun was finished where it was').not.toContain('handlers are cut off')
    expect(log).not.toContain(people.organization.client.token)
  },
)

async function settle(world: World): Promise<People> {
  const organization = await world.organization()
  const moduleInstanceIds: string[] = []
  for (const strategy of [null, null, blueGreen])
    moduleInstanceIds.push((await organization.service(strategy)).moduleInstanceId)
  return { apiUrl: world.url, organization, moduleInstanceIds }
}

/** As an upgrade does it: SIGTERM, and the next one when this one is back. */
async function restart(part: Part): Promise<void> {
  const askedAt = performance.now()
  await part.process.stop()
  expect(performance.now() - askedAt, `milliseconds until ${part.name} ended`).toBeLessThan(endsWithinMs)
  part.process.start()
  await untilReady(part)
}

/** Releases one version after the other, each when the one before is over, until the signal; then ends the last. */
async function releasing(organization: TestOrganization, moduleInstanceId: string, signal: AbortSignal) {
  const released: Deployment[] = []
  for (let version = 2; !signal.aborted; version += 1) {
    const { id } = await organization.deploy(moduleInstanceId, `shop/app:${version}`)
    released.push(await organization.until(id, 'over', ({ status }) => isDeploymentOver(status)))
  }
  return released
}

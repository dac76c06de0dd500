import { readFileSync } from 'node:fs'
import { type Deployment, isDeploymentOver } from '@sluice/contract'
import { expect, test } from 'vitest'
import { blueGreen } from '../src/testing/strategies.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'
import { expectEachEffectOnce } from './effects.ts'
import { type Part, untilReady } from './installation.ts'
import { endsIn, follow, ownEndsOf, readContinuously } from './load.ts'
import { startInstallation } from './test-installation.ts'

/** Drain time: three polls of a load balancer on a busy machine. */
const drainSeconds = 6
/** Time for running handlers, more than any needs here with slow calls of the cloud. */
const finishSeconds = 20
/** Maximum duration of a shutdown in milliseconds, as documented in docs/reference/configuration.md. */
const endsWithinMs = (drainSeconds + finishSeconds + 5) * 1_000
/** Duration of a cloud call while workers restart, in milliseconds. A handler makes several. */
const slowMs = 2_500

type People = { apiUrl: string; organization: TestOrganization; moduleInstanceIds: string[] }

/** Two processes can share a database only on a server. */
const hasServer = process.env.TEST_DATABASE_URL !== undefined

test.runIf(hasServer)(
  'two APIs and two workers restart one by one under load: no call fails, and each release reaches the cloud once',
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
      ...[1, 2].map(() => readContinuously(people.organization.client, isOver.signal)),
    ])
    load.catch(() => isOver.abort()) // reported below, after the failures that the proxy knows
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

/** Restarts a process like an upgrade: SIGTERM, and then waits until it is ready. */
async function restart(part: Part): Promise<void> {
  const askedAt = performance.now()
  await part.process.stop()
  expect(performance.now() - askedAt, `milliseconds until ${part.name} ended`).toBeLessThan(endsWithinMs)
  part.process.start()
  await untilReady(part)
}

/** Releases one version after another until the signal, and waits for the end of the last one. */
async function releasing(organization: TestOrganization, moduleInstanceId: string, signal: AbortSignal) {
  const released: Deployment[] = []
  for (let version = 2; !signal.aborted; version += 1) {
    const { id } = await organization.deploy(moduleInstanceId, `shop/app:${version}`)
    released.push(await organization.until(id, 'over', ({ status }) => isDeploymentOver(status)))
  }
  return released
}

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Deployment, isDeploymentOver } from '@sluice/contract'
import { expect, test } from 'vitest'
import { blueGreen } from '../src/testing/strategies.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'
import { expectEachEffectOnce } from './effects.ts'
import { type Installation, type Part, startInstallation, untilReady } from './installation.ts'

/** Three looks of a load balancer on a machine that is busy with other tests. */
const drainSeconds = 6
/** Longer than any handler takes here, the slow calls of the cloud included. */
const finishSeconds = 20
/** What it says in docs/configuration.md of the end of a process. Milliseconds. */
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
      follow(people, isOver.signal),
      ...[1, 2].map(() => reading(people.organization, isOver.signal)),
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

/** The deployments whose end the log has. */
const endsIn = (log: string): string[] =>
  log
    .split('\n')
    .filter((line) => line.includes('a deployment moved'))
    .map((line) => JSON.parse(line) as { id: string; to: Deployment['status'] })
    .filter(({ to }) => isDeploymentOver(to))
    .map(({ id }) => id)
    .toSorted()

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

/** Reads without a break; an answer that is none fails the test. */
async function reading({ client }: TestOrganization, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await client.done('GET', '/deployments?limit=20')
    await sleep(20)
  }
}

/** Follows the changes as a browser does: where the stream ends, it comes back with the last id that it was told. */
async function follow({ apiUrl, organization }: People, signal: AbortSignal) {
  const seen = { comebacks: 0, resets: 0 }
  const authorization = `Bearer ${organization.client.token}`
  for (let lastEventId = ''; !signal.aborted; ) {
    const headers = { authorization, ...(lastEventId && { 'last-event-id': lastEventId }) }
    try {
      const { body, status } = await fetch(`${apiUrl}/changes`, { headers, signal })
      expect(status).toBe(200)
      for await (const events of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        if (events.includes('event: reset') && lastEventId !== '') seen.resets += 1
        lastEventId = events.match(/(?<=^id: ).+$/gm)?.at(-1) ?? lastEventId
      }
    } catch (error) {
      if (!signal.aborted) throw error // it was cut off
    }
    if (!signal.aborted) seen.comebacks += 1
  }
  return seen
}

const ownEndsOf = ({ apis, workers }: Installation<People>) =>
  [...apis, ...workers].flatMap(({ name, process }) => process.ownEnds.map((end) => `${name}: ${end}`))

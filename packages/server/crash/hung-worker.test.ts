import { once } from 'node:events'
import { connect } from 'node:net'
import type { Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { Client } from '../src/testing/client.ts'
import { eventually } from '../src/testing/eventually.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'
import { expectEachEffectOnce } from './effects.ts'
import { ownEndsOf } from './load.ts'
import { metricOf } from './metric-of.ts'
import { answersReady } from './readiness-proxy.ts'
import { startInstallation } from './test-installation.ts'

/**
 * Time limit in milliseconds: the engine abandons a hung worker after 11 s, and PostgreSQL ends its transactions after
 * 15 s.
 */
const maxMs = 45_000
/** Seconds after which work counts as stalled, longer than any wait while a worker runs. */
const stalledSeconds = 8

const token = 'reads-the-metrics-of-this-test-alone'
const stalled = 'sluice_work_stalled_seconds{kind="deployment"}'

type People = { organization: TestOrganization; moduleInstanceIds: string[] }

/** Two processes can share a database only on a server. */
const hasServer = process.env.TEST_DATABASE_URL !== undefined

test.runIf(hasServer)('while one of two workers hangs, each deployment succeeds without waiting for it', async () => {
  const installation = await startInstallation({ speed: 600, people: settle, env: { SLUICE_METRICS_TOKEN: token } })
  const { apis, workers, people, cloud } = installation
  const { organization, moduleInstanceIds } = people
  const [hung, other] = workers
  const [api] = apis
  if (!hung || !other || !api) throw new Error('the installation lacks a process')
  // Directly and not through the proxy, which rejects requests while a busy machine makes all APIs unready.
  const client = new Client(api.url, organization.client.token)
  const release = async (moduleInstanceId: string): Promise<Deployment> => {
    const data = { moduleInstanceId, description: 'Release 2', inputs: { image_ref: 'shop/app:2' } }
    const { id } = await client.done<Deployment>('POST', '/deployments', { data })
    const isOver = ({ status }: Deployment) => status === 'SUCCESS'
    return eventually(`${id} to succeed`, () => client.done<Deployment>('GET', `/deployments/${id}`), isOver)
  }
  const timed = async (moduleInstanceId: string) => {
    const startedAt = performance.now()
    await release(moduleInstanceId)
    return performance.now() - startedAt
  }

  const half = moduleInstanceIds.length / 2
  const begun = moduleInstanceIds.slice(0, half).map(timed)
  await eventually(
    'work to be in progress',
    () => cloud.calls({ operation: 'UpdateService' }),
    (calls) => calls.length > 0,
  )
  const isOver = new AbortController()
  const following = installation.followReadiness(isOver.signal)
  hung.process.freeze()
  const all = await Promise.all([...begun, ...moduleInstanceIds.slice(half).map(timed)])
  const seconds = all.map((ms) => Math.round(ms / 100) / 10).toSorted((a, b) => a - b)
  console.log(`seconds of each deployment: ${seconds.join(' ')}`)
  expect(Math.max(...all), 'ms of the slowest: see http2-keep-alive in deploy/compose/engine.toml').toBeLessThan(maxMs)
  expect(await accepts(hung.url), 'the kernel accepts connections to a hung worker').toBe(true)
  expect(await answersReady(hung.url), 'and the worker itself does not answer a probe').toBeUndefined()

  other.process.freeze()
  const waiting = release(moduleInstanceIds[0] ?? '')
  waiting.catch(() => {}) // awaited below
  const stalledNow = () => metricOf(api.url, token, stalled)
  await eventually('the metric to show that work is stalled', stalledNow, (value) => value > stalledSeconds)
  hung.process.thaw()
  other.process.thaw()
  await waiting
  await eventually('the metric to fall', stalledNow, (value) => value < stalledSeconds)
  for (const part of workers) await eventually(`${part.name} to be ready again`, part.isReady, Boolean)
  isOver.abort()
  await following
  await expectEachEffectOnce(cloud, await client.all<Deployment>('/deployments'))
  expect(ownEndsOf(installation)).toEqual([])
})

async function settle(world: World): Promise<People> {
  const organization = await world.organization()
  const moduleInstanceIds: string[] = []
  for (let index = 0; index < 12; index += 1)
    moduleInstanceIds.push((await organization.service(null)).moduleInstanceId)
  return { organization, moduleInstanceIds }
}

/** Reports whether a TCP probe succeeds. */
async function accepts(url: string): Promise<boolean> {
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host, port: Number(port) })
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}

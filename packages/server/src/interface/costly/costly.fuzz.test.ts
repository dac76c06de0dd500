import { type Route, routes } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usualBodyBytes } from '../../platform/http/app.ts'
import { processorMs } from '../../platform/within.ts'
import { type Answer, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, type OneOfEverything, referredBy } from '../../testing/resources.ts'
import { costlyBodies } from './bodies.fixture.ts'
import { hostileRequests } from './hostile.fixture.ts'
import { measureBlocking } from './turns.fixture.ts'

/**
 * Maximum time in milliseconds for which one request may block others, on a machine that is as fast as `usualReadMs`.
 * `/health/live` needs only the event loop.
 */
const longestTurnMs = 250

/** Usual result of `readMs`. A processor with busy neighbors can take twice as long. */
const usualReadMs = 40

let world: Awaited<ReturnType<typeof startHttpWorld>>
let made: OneOfEverything
let key: string
let examples: Map<string, unknown>
const turns = measureBlocking()

beforeAll(async () => {
  world = await startHttpWorld(undefined, { registration: 'open' })
  made = await createOneOfEverything(world.db)
  key = await addMember(world.db, made.organizationId, 'OWNER')
  examples = examplesIn((await world.ask('/openapi.json')).body)
})
afterAll(async () => {
  turns.stop()
  await world?.[Symbol.asyncDispose]()
})

const withBody: Route[] = Object.values(routes).filter((route: Route) => route.body !== undefined)

describe('other requests are answered despite any body', () => {
  test.each(withBody.map((route) => [route.operationId, route] as const))('of %s', async (_, route) => {
    const shape = { example: examples.get(route.operationId), mostBytes: route.maxBodyBytes ?? usualBodyBytes }
    for (const [kind, body] of costlyBodies(shape)) {
      await expectTurns(`${route.operationId}, ${kind}`, () => send(route.method, pathTo(route), body))
    }
  })

  test('that is expensive', async () => {
    for await (const [kind, method, path, body] of hostileRequests(made, (method, path, data) =>
      send(method, path, JSON.stringify({ data })),
    )) {
      await expectTurns(kind, () => send(method, path, body))
    }
  })
})

/** Tries several times, because the first request compiles shared code and a busy machine slows it down. */
async function expectTurns(what: string, ask: () => Promise<Answer>): Promise<void> {
  let longest = Number.POSITIVE_INFINITY
  for (let round = 0; round < 4 && longest > longestTurnMs; round += 1) {
    turns.take()
    const answer = await ask()
    longest = turns.take()
    expect(answer.status, what).not.toBe(500)
    if (longest > longestTurnMs) longest /= Math.max(1, readMs() / usualReadMs)
  }
  expect(longest, what).toBeLessThan(longestTurnMs)
}

/** Returns the milliseconds of processor time that parsing a long text twice takes now on this machine. */
function readMs(): number {
  const before = processorMs()
  for (let times = 0; times < 2; times += 1) JSON.parse(longText)
  return processorMs() - before
}

const longText = JSON.stringify(Object.fromEntries(Array.from({ length: 49_000 }, (_, index) => [`k${index}`, 1])))

const send = (method: string, path: string, body: string) =>
  world.ask(path, { method, key, body, headers: { 'content-type': 'application/json' } })

/** Fills in the ids of existing records. */
const pathTo = ({ path }: Route): string =>
  path.replaceAll(/([\w-]+)\/\{(\w+)\}/g, (_, resource: string, name: string) => {
    const id = name === 'id' ? made.byPath[resource] : referredBy(made, name)
    return `${resource}/${id ?? 'nobody'}`
  })

/** Returns the example bodies of the description, with ids of existing records. */
function examplesIn({ paths }: { paths: Record<string, Record<string, Described>> }): Map<string, unknown> {
  const described = Object.values(paths).flatMap((methods) => Object.values(methods))
  return new Map(
    described.map(({ operationId, requestBody }) => [
      operationId,
      withRecords(requestBody?.content['application/json']?.example),
    ]),
  )
}

type Described = {
  operationId: string
  requestBody?: { content: Record<string, { example?: unknown } | undefined> }
}

function withRecords(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return (/Id$/.test(name) && referredBy(made, name)) || value
  if (Array.isArray(value)) return value.map((one) => withRecords(one, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, withRecords(one, member)]))
}

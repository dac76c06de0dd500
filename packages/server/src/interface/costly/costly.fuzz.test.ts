import { type Route, routes } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usualBodyBytes } from '../../platform/http/app.ts'
import { processorMs } from '../../platform/within.ts'
import { type Answer, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, type OneOfEverything, referredBy } from '../../testing/resources.ts'
import { costlyBodies } from './bodies.fixture.ts'
import { hostileRequests } from './hostile.fixture.ts'
import { watchTurns } from './turns.fixture.ts'

/**
 * How long nobody else may be answered because of one request, on a machine that is as fast as `usualReadMs` says.
 * `/health/live` needs a turn and nothing else.
 */
const longestTurnMs = 250

/** What `readMs` usually is: a processor whose neighbours are busy takes up to twice as long for the same. */
const usualReadMs = 40

let world: Awaited<ReturnType<typeof startHttpWorld>>
let made: OneOfEverything
let key: string
let examples: Map<string, unknown>
const turns = watchTurns()

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

describe('whatever one sends, the others are answered meanwhile', () => {
  test.each(withBody.map((route) => [route.operationId, route] as const))('%s', async (_, route) => {
    const shape = { example: examples.get(route.operationId), mostBytes: route.maxBodyBytes ?? usualBodyBytes }
    for (const [kind, body] of costlyBodies(shape)) {
      await expectTurns(`${route.operationId}, ${kind}`, () => send(route.method, pathTo(route), body))
    }
  })

  test('what is made to be expensive', async () => {
    for await (const [kind, method, path, body] of hostileRequests(made, (method, path, data) =>
      send(method, path, JSON.stringify({ data })),
    )) {
      await expectTurns(kind, () => send(method, path, body))
    }
  })
})

/** Some times: the first one compiles things that everybody needs, and a busy machine slows a processor down. */
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

/** How long the interpreter takes for a long text twice, now and here, in milliseconds of the processor. */
function readMs(): number {
  const before = processorMs()
  for (let times = 0; times < 2; times += 1) JSON.parse(longText)
  return processorMs() - before
}

const longText = JSON.stringify(Object.fromEntries(Array.from({ length: 49_000 }, (_, index) => [`k${index}`, 1])))

const send = (method: string, path: string, body: string) =>
  world.ask(path, { method, key, body, headers: { 'content-type': 'application/json' } })

/** With the ids of records that are there. */
const pathTo = ({ path }: Route): string =>
  path.replaceAll(/([\w-]+)\/\{(\w+)\}/g, (_, resource: string, name: string) => {
    const id = name === 'id' ? made.byPath[resource] : referredBy(made, name)
    return `${resource}/${id ?? 'nobody'}`
  })

/** The bodies that the description shows, naming records that are there. */
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

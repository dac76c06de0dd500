import { errorsOf, type Route, routes } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { type FakeGitHostA, startFakeGitHostA } from '../../git/adapter/fakes/githosta.fixture.ts'
import { settingsOfFakeA } from '../../git/adapter/fakes/settings.fixture.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { bodyFor, naming, nothing, referencesOf, target } from '../../testing/requests.ts'
import { createOneOfEverything, referredBy, resourceOf } from '../../testing/resources.ts'
import { asJson } from '../openapi/json-schema.ts'
import { another, type Place, scenarios } from './changes.fixture.ts'

let hostA: FakeGitHostA
let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  hostA = await startFakeGitHostA()
  world = await startHttpWorld(() => {}, { git: settingsOfFakeA(hostA) })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await hostA?.close()
})

const referring = (Object.values(routes) as Route[])
  .filter((route) => errorsOf(route).includes('referenceNotFound'))
  .flatMap((route) => referencesOf(asJson(route.body ?? nothing)).map((field) => ({ route, field })))

/** Records of users, which do not belong to an organization alone. */
const ofPeople: readonly string[] = ['memberships', 'organizations']

const checkDeletion = async ({ route, field }: (typeof referring)[number]) => {
  const everything = await createOneOfEverything(world.db)
  const client = new Client(world.url, await addMember(world.db, everything.organizationId, 'OWNER'))
  const place: Place = { db: world.db, world, hostA, client, everything }
  const prepared = (await scenarios[route.operationId as keyof typeof routes]?.(place)) ?? {}
  const { data = bodyFor(route, everything).data, path = target(route, everything) } = prepared
  const resource = resourceOf(field)
  const id = ofPeople.includes(resource) ? referredBy(everything, field) : await another(resource, place)

  const asked = await world.db.transaction(async (tx) => {
    await tx.execute(sql`delete from ${sql.identifier(resource.replaceAll('-', '_'))} where id = ${id}`)
    const answer = client.ask(route.method, path, { data: { ...data, [field]: naming(field, id) } })
    await untilHeldUp(tx, answer)
    return { answer }
  })

  const { status, body } = await asked.answer
  expect(status, JSON.stringify(body)).toBeLessThan(500)
}

test(
  'a reference to a record that is being deleted never causes a server error, on any operation',
  { timeout: 600_000 }, // 24 s on two busy cores
  everyCase(referring, checkDeletion, {
    name: ({ route, field }) => `${route.operationId}, ${field}`,
    concurrency: 10,
  }),
)

/** Waits until the request is blocked by the transaction's deletion, or has been answered. */
async function untilHeldUp(tx: Db, answer: Promise<unknown>): Promise<void> {
  // The embedded database starts the request after the transaction.
  if (process.env.TEST_DATABASE_URL === undefined) return
  let isAnswered = false
  const note = () => {
    isAnswered = true
  }
  answer.then(note, note)
  // Reads pg_locks, because pg_stat_activity is cached within a transaction.
  const waiting = sql`pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`
  const look = async () => ({ isAnswered, waiting: await tx.$count(waiting) })
  await eventually('the request to be held up', look, (seen) => seen.isAnswered || seen.waiting > 0)
}

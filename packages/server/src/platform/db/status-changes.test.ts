import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type Database, openDatabase } from './open.ts'
import { emitStatusChange, type StatusChange } from './status-changes.ts'

let location: TestDatabase
let database: Database
const published: StatusChange[] = []
beforeAll(async () => {
  location = await createTestDatabase()
  database = await openDatabase(location.location, { onChange: (change) => published.push(change) })
})
afterAll(async () => {
  await database?.close()
  await location?.drop()
})

const row = (id: string, status = 'SUCCESS') => ({ id, organizationId: 'org_1', status })
const ids = () => published.splice(0).map(({ id }) => id)
const moved = { status: 'IN_PROGRESS' }

test('a change outside of a transaction is published at once, and an unchanged status is not', () => {
  emitStatusChange(database.db, 'deployment', moved, row('dep_1'))
  emitStatusChange(database.db, 'deployment', { status: 'SUCCESS' }, row('dep_2'))
  expect(published.splice(0)).toEqual([
    { kind: 'deployment', id: 'dep_1', organizationId: 'org_1', from: 'IN_PROGRESS', to: 'SUCCESS' },
  ])
})

test('changes of a transaction are published after its commit, also from a nested one', async () => {
  const db = database.ofOrganization('org_1')
  for (const _ of [1, 2]) {
    await db.transaction(async (tx) => {
      emitStatusChange(tx, 'deployment', moved, row('dep_1'))
      await tx.transaction(async (inner) => emitStatusChange(inner, 'deployment', moved, row('dep_2')))
      expect(ids()).toEqual([])
    })
    expect(ids()).toEqual(['dep_1', 'dep_2'])
  }
})

test('changes that were rolled back are not published', async () => {
  const fail = () => Promise.reject(new Error('undone'))
  await database.db
    .transaction(async (tx) => {
      emitStatusChange(tx, 'deployment', moved, row('dep_1'))
      await fail()
    })
    .catch(() => {})
  expect(ids()).toEqual([])
  await database.db.transaction(async (tx) => {
    emitStatusChange(tx, 'deployment', moved, row('dep_2'))
    const inner = tx.transaction(async (undone) => {
      emitStatusChange(undone, 'deployment', moved, row('dep_3'))
      await fail()
    })
    await inner.catch(() => {})
  })
  expect(ids()).toEqual(['dep_2'])
})

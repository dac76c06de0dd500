import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { openFolder } from '../../platform/archive/folder.ts'
import { createKeys } from '../../platform/crypto/keys.ts'
import { newId } from '../../platform/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { serviceAuthor } from './author.ts'
import { createSignHead, exportHeads, findEnd } from './heads.ts'
import { recordChange } from './record.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

const key = randomBytes(32)
const signHead = createSignHead(createKeys([key]))
const now = new Date('2026-11-29T10:00:00Z')

async function startExporting() {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-heads-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => logged.push(line) })
  const { db } = database
  return {
    logged: () => logged.map((line) => JSON.parse(line).auditHead),
    archived: async () => (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.json')).sort(),
    contents: async (path: string) => JSON.parse(await readFile(join(folder, path), 'utf8')),
    exportHeads: (archive = openFolder(folder)) => exportHeads({ db, signHead, archive, clock: () => now, log }),
  }
}

test('the signed head of a log with new events is exported once to the service log and the archive', async () => {
  const organizationId = newId('org')
  const record = () =>
    recordChange(database.db, serviceAuthor(organizationId), { action: 'a.b', resourceType: 'a', resourceId: 'a_1' })
  const { exportHeads, logged, archived, contents } = await startExporting()
  await record()
  await record()
  await exportHeads()
  await exportHeads()
  const path = `audit-heads/${organizationId}/000000000002.json`
  expect(await archived()).toEqual([path])
  const head = signHead(await findEnd(database.ofOrganization(organizationId), organizationId), now)
  expect(await contents(path)).toEqual(head)
  expect(logged()).toEqual([head])

  await record()
  await exportHeads()
  expect(await archived()).toEqual([path, `audit-heads/${organizationId}/000000000003.json`])
})

test('a head that the archive rejected is exported again', async () => {
  const organizationId = newId('org')
  await recordChange(database.db, serviceAuthor(organizationId), {
    action: 'a.b',
    resourceType: 'a',
    resourceId: 'a_1',
  })
  const other = newId('org')
  await recordChange(database.db, serviceAuthor(other), { action: 'a.b', resourceType: 'a', resourceId: 'a_1' })
  const { exportHeads, archived, logged } = await startExporting()
  const full = { ...openFolder(tmpdir()), put: () => Promise.reject(new Error('the disk is full')) }
  await expect(exportHeads(full)).rejects.toThrow('the disk is full')
  expect(logged().map((head) => head.organizationId)).toEqual(expect.arrayContaining([organizationId, other]))
  await exportHeads()
  const paths = [organizationId, other].map((id) => `audit-heads/${id}/000000000001.json`)
  expect(await archived()).toEqual(paths.toSorted())
})

test('all processes with the same encryption key sign with the same key', () => {
  const end = { organizationId: 'org_1', sequence: 1, hash: 'a'.repeat(64) }
  const signedWith = (secret: Buffer) => createSignHead(createKeys([secret]))(end, now)
  expect(signedWith(key)).toEqual(signHead(end, now))
  expect(signedWith(randomBytes(32)).publicKey).not.toBe(signHead(end, now).publicKey)
})

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeploymentEvent, ModuleInstance } from '@sluice/contract'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import type { Archive } from '../../platform/archive/archive.ts'
import { openFolder } from '../../platform/archive/folder.ts'
import { removeOrphanedObjects } from '../../platform/archive/removals.ts'
import { eq, sql } from '../../platform/db/drizzle.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { finishedDeployment } from '../../testing/resources.ts'
import type { StoredData } from '../deployments/execution/state.ts'
import { deployments } from '../deployments/store/tables.ts'
import { archiveDeployments } from './archiving.ts'
import { deploymentArchives } from './tables.ts'

const dayMs = 24 * 3_600_000
const directories: string[] = []
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true })
})

async function newFolder() {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-archive-'))
  directories.push(directory)
  const files = async () => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  }
  return { archive: openFolder(directory), files }
}

const event = (message: string, at: Date): DeploymentEvent => ({
  startedAt: at.toISOString(),
  stepCode: 'BAKE',
  message,
  currentStep: 1,
  totalSteps: 3,
})

/** Starts an installation with this archive, and an organization with an instance. */
async function installation(archive: Archive) {
  const world = await startHttpWorld(undefined, { archive })
  const { db, archiveSeal } = world
  const owner = await seedOrganization(db)
  const { organizationId } = owner
  const [moduleInstanceId = ''] = await seedInstances(db, organizationId, 1)
  const client = new Client(world.url, owner.key)
  const { environmentId, projectId } = await client.done<ModuleInstance>('GET', `/module-instances/${moduleInstanceId}`)
  const place = { organizationId, moduleInstanceId, environmentId, projectId }
  let made = 0
  return {
    world,
    db,
    client,
    place,
    /** Inserts a release that ended this many days ago, and returns its id. */
    async release(endedDaysAgo: number, more: Partial<typeof deployments.$inferInsert> = {}) {
      made += 1 // every release has a millisecond, and so an id, of its own
      const at = new Date(Date.now() - endedDaysAgo * dayMs + made)
      const id = firstIdAt('dep', at)
      const data: StoredData = {
        ...finishedDeployment.data,
        events: [event(`of ${id}`, at), event('x'.repeat(1_000), at)],
        deployedTaskDefinition: { arn: 'arn:deployed', revision: 2, definition: { family: 'shop' } },
        previousTaskDefinition: { arn: 'arn:previous', revision: 1, definition: { family: 'shop' } },
        analysis: [],
      }
      const times = { createdAt: at, updatedAt: at, startedAt: at, completedAt: at }
      await db.insert(deployments).values({ ...finishedDeployment, ...place, id, data, ...times, ...more })
      return id
    },
    /** Archives old deployments, as a worker does this much later. */
    archive: (laterMs = 0, through: Archive = archive) =>
      archiveDeployments({
        db,
        archive: through,
        archiveSeal,
        afterDays: 90,
        log: pino({ level: 'silent' }),
        clock: () => new Date(Date.now() + laterMs),
      }),
    /** Returns everything that the API returns about a deployment, with the ETag. */
    async shown(id: string) {
      const path = `/deployments/${id}?include=analysis&include=approval&include=policies&include=forecast`
      const response = await fetch(new URL(path, world.url), { headers: { authorization: `Bearer ${owner.key}` } })
      return { status: response.status, etag: response.headers.get('etag'), body: await response.json() }
    },
    listed: () => client.ask('GET', '/deployments?limit=50&include=analysis'),
    eventsInRow: async (id: string) => {
      const [row] = await db.select().from(deployments).where(eq(deployments.id, id))
      return row?.data.events?.length
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

test('an archived deployment is returned unchanged, and its row lacks the large parts', async () => {
  const { archive, files } = await newFolder()
  await using own = await installation(archive)
  const ids: string[] = []
  for (const days of [300, 200, 100]) ids.push(await own.release(days))
  const differences = () => own.client.ask('GET', `/deployments/${ids[1]}/differences`)
  const all = async () => ({
    each: await Promise.all(ids.map(own.shown)),
    list: (await own.listed()).body,
    differences: (await differences()).body,
  })
  const before = await all()
  expect(before.each).toMatchObject(ids.map((id) => ({ status: 200, body: { data: { id } } })))

  expect(await own.archive(), 'the last one is what runs').toBe(2)
  expect(await Promise.all(ids.map(own.eventsInRow))).toEqual([undefined, undefined, 2])
  expect(await all()).toEqual(before)
  expect(await own.archive()).toBe(0)

  const [object = '', ...more] = await files()
  expect(more, 'one object of all that is old at once').toEqual([])
  expect((await readFile(object)).toString('latin1')).not.toContain('xxxx')
})

test('recent deployments are not archived, nor are those since the last success', async () => {
  const { archive } = await newFolder()
  await using own = await installation(archive)
  const failed = { status: 'ERROR', error: { code: 'Sluice:Deployments:TIMEOUT', message: 'Too late.' } } as const
  const old = await own.release(300, failed)
  const running = await own.release(250)
  const since = await own.release(200, failed)
  expect(await own.archive()).toBe(1)
  expect(await Promise.all([old, running, since].map(own.eventsInRow))).toEqual([undefined, 2, 2])
  await own.release(50)
  await own.release(40)
  expect(await own.archive(), 'of those that are over for 90 days').toBe(2)
})

test('archiving cannot change other columns of a final deployment, and publishes no event', async () => {
  const { archive } = await newFolder()
  await using own = await installation(archive)
  const id = await own.release(300)
  await own.release(100)
  await own.db.execute(sql`delete from changes`)
  await own.archive()
  const [{ n } = { n: -1 }] = (
    (await own.db.execute(sql`select count(*)::int as n from changes where resource = 'deployments'`)) as unknown as {
      rows: { n: number }[]
    }
  ).rows
  expect(n).toBe(0)
  const isIt = eq(deployments.id, id)
  const final = { cause: { message: expect.stringContaining('can no longer change') } }
  for (const change of [{ archiveId: null }, { archiveId: 'dpa_other' }, { description: 'another' }])
    await expect(own.db.update(deployments).set(change).where(isIt)).rejects.toMatchObject(final)
})

test('deleting a deployment deletes it from the archive', async () => {
  const { archive, files } = await newFolder()
  await using own = await installation(archive)
  for (const days of [300, 200, 100]) await own.release(days)
  await own.archive()
  const leaveLater = () => removeOrphanedObjects({ db: own.db, archive }, new Date(Date.now() + 11 * 60_000))
  await leaveLater()
  expect(await files()).toHaveLength(1)
  const [first, ...others] = await own.db.select({ id: deployments.id }).from(deployments).orderBy(deployments.id)
  await own.db.delete(deployments).where(eq(deployments.id, first?.id ?? ''))
  await leaveLater()
  expect(await files(), 'another deployment is in it').toHaveLength(1)
  for (const { id } of others) await own.db.delete(deployments).where(eq(deployments.id, id))
  await leaveLater()
  expect(await files()).toEqual([])
})

test('concurrent processes archive each deployment once, and a crash changes nothing', async () => {
  const { archive, files } = await newFolder()
  await using own = await installation(archive)
  const ids = [await own.release(300), await own.release(200)]
  await own.release(100)
  const before = await Promise.all(ids.map(own.shown))
  const killed: Archive = {
    ...archive,
    async put(key, bytes) {
      await archive.put(key, bytes)
      throw new Error('killed')
    },
  }
  await expect(own.archive(0, killed)).rejects.toThrow('killed')
  expect(await Promise.all(ids.map(own.eventsInRow))).toEqual([2, 2])
  const meanwhile: Archive = {
    ...archive,
    async put(key, bytes) {
      expect(await own.archive()).toBe(2) // another process is faster
      await archive.put(key, bytes)
    },
  }
  await own.archive(0, meanwhile)
  expect(await Promise.all(ids.map(own.shown))).toEqual(before)
  await own.archive(11 * 60_000) // deletes what the crashed one had started
  expect(await own.db.$count(deploymentArchives)).toBe(1)
  await removeOrphanedObjects({ db: own.db, archive }, new Date(Date.now() + 30 * 60_000))
  expect(await files()).toHaveLength(1)
})

test('an unavailable or corrupt archive is reported as such', async () => {
  const { archive, files } = await newFolder()
  await using own = await installation(archive)
  const id = await own.release(300)
  const running = await own.release(100)
  await own.archive()
  const [file = ''] = await files()
  const whole = await readFile(file)
  await writeFile(file, whole.with(40, whole[40] === 0 ? 1 : 0))
  const refused = { status: 503, body: { code: 'Sluice:Deployments:UNREADABLE' } }
  for (const path of [`/${id}`, `/${id}/differences`, `/${id}/metrics`, `/${id}/resources`, ''])
    expect(await own.client.ask('GET', `/deployments${path}`), path).toMatchObject(refused)
  expect(await own.client.ask('GET', `/deployments/${running}`)).toMatchObject({ status: 200 })
  await writeFile(file, whole)
  expect(await own.client.ask('GET', `/deployments/${id}`)).toMatchObject({ status: 200 })
})

test('many old deployments are stored as objects of at most a hundred', async () => {
  const { archive, files } = await newFolder()
  await using own = await installation(archive)
  const at = new Date(Date.now() - 300 * dayMs) // all in the same millisecond
  for (let nth = 0; nth < 230; nth += 1) await own.release(300, { completedAt: at })
  await own.release(100)
  expect(await own.archive()).toBe(230)
  expect(await files()).toHaveLength(3)
  expect((await own.listed()).status).toBe(200)
})

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { spawnCloudSim } from '@sluice/cloud-sim'
import type { StepLogPage } from '@sluice/contract'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openArchive } from '../../cloud/adapter/archive.ts'
import { type Archive, ArchiveError } from '../../platform/archive/archive.ts'
import { eq, sql } from '../../platform/db/drizzle.ts'
import { daysBefore } from '../../platform/db/forgetting.ts'
import { firstIdAt, newId } from '../../platform/ids.ts'
import { usedBytes } from '../../platform/limits/stored.ts'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { pipelineRuns, pipelineStepExecutions, stepLogChunks } from '../pipelines/tables.ts'
import { archiveLogs } from './archiving.ts'
import { deleteExpiredStepLogs } from './retention.ts'
import { archivedStepLogs } from './tables.ts'

const region = 'eu-west-1'
const directories: string[] = []
let sim: Awaited<ReturnType<typeof spawnCloudSim>>
beforeAll(async () => {
  sim = await spawnCloudSim({ stateFile: join(await newDirectory(), 'cloud.db') })
})
afterAll(async () => {
  await sim?.stop()
  for (const directory of directories) await rm(directory, { recursive: true, force: true })
})

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-archive-'))
  directories.push(directory)
  return directory
}

/** Archive, and access to the content of all its objects. */
type Place = { archive: Archive; contents(): Promise<Buffer[]> }

const settings = {
  archiveDir: undefined,
  archiveBucket: undefined,
  archiveRegion: undefined,
  archiveEndpoint: undefined,
}

function opened(wishes: Partial<Record<keyof typeof settings, string>>): Archive {
  const archive = openArchive({ ...settings, ...wishes })
  if (!archive) throw new Error('these settings have an archive')
  return archive
}

async function folder(): Promise<Place & { directory: string }> {
  const directory = await newDirectory()
  return {
    directory,
    archive: opened({ archiveDir: directory }),
    async contents() {
      const entries = await readdir(directory, { recursive: true, withFileTypes: true })
      return Promise.all(entries.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name))))
    },
  }
}

async function bucket(): Promise<Place> {
  const name = `archive-${newId('req').slice(-20)}`
  const credentials = { accessKeyId: 'operator', secretAccessKey: 'operator' }
  const s3 = new S3Client({ region, endpoint: sim.url, forcePathStyle: true, credentials })
  await s3.send(new CreateBucketCommand({ Bucket: name, CreateBucketConfiguration: { LocationConstraint: region } }))
  const archive = opened({ archiveBucket: name, archiveRegion: region, archiveEndpoint: sim.url })
  return {
    archive,
    async contents() {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: name }))
      return Promise.all(Contents.map(({ Key = '' }) => archive.get(Key)))
    },
  }
}

const minuteMs = 60_000

/** Starts an installation with this archive, and an organization. */
async function installation(archive: Archive) {
  const world = await startHttpWorld(undefined, { archive })
  const { db, archiveSeal } = world
  const owner = await seedOrganization(db)
  const { organizationId } = owner
  const { byPath } = await createOneOfEverything(db, owner)
  const pipelineRunId = byPath['pipeline-runs'] ?? ''
  await db.delete(stepLogChunks)
  await db.delete(archivedStepLogs)
  await db.execute(sql`delete from archive_removals`)
  const client = new Client(world.url, owner.key)
  const log = pino({ level: 'silent' })
  return {
    world,
    db,
    owner,
    organizationId,
    pipelineRunId,
    client,
    async step(texts: string[], { endedBefore = 5 * minuteMs } = {}) {
      const endedAt = new Date(Date.now() - endedBefore)
      const id = firstIdAt('step', endedAt)
      const named = { stepId: id, stepName: 'Build', stepType: 'command', engineWorkflowId: id }
      const state = { status: 'SUCCESS', queueReason: 'READY', queueMetadata: {}, completedAt: endedAt } as const
      await db.insert(pipelineStepExecutions).values({ id, organizationId, pipelineRunId, ...named, ...state })
      await this.write(id, texts)
      return id
    },
    async write(stepExecutionId: string, texts: string[]) {
      const own = { organizationId, stepExecutionId, attemptEpoch: 1, writtenAt: new Date('2026-01-02T03:04:05.678Z') }
      const chunks = texts.map((text, at) => ({ ...own, sequence: at + 1, text }))
      if (chunks.length > 0) await db.insert(stepLogChunks).values(chunks)
    },
    /** Archives logs of ended steps, as a worker does this much later. */
    archive: (laterMs = 0, through: Archive = archive) =>
      archiveLogs({ db, archive: through, archiveSeal, clock: () => new Date(Date.now() + laterMs), log }),
    async page(id: string, query = '') {
      const { status, body } = await client.ask('GET', `/pipeline-step-executions/${id}/logs${query}`)
      expect(status).toBe(200)
      return body as StepLogPage
    },
    async stream(id: string, query = '') {
      const headers = { authorization: `Bearer ${owner.key}` }
      const response = await fetch(`${world.url}/pipeline-step-executions/${id}/logs/stream${query}`, { headers })
      return response.text() // to its end, which exists once the step has ended
    },
    inDatabase: (id: string) => db.$count(stepLogChunks, eq(stepLogChunks.stepExecutionId, id)),
    bytes: () => usedBytes(db, organizationId, 'storedLogBytes'),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

const pieces = (count: number) => Array.from({ length: count }, (_, at) => `piece ${at + 1}\n`)

describe.each([
  ['a folder', folder],
  ['a bucket', bucket],
])('in %s', (_name, place) => {
  test('the log of an ended step is unchanged, both in pages and as a stream', async () => {
    const { archive, contents } = await place()
    await using own = await installation(archive)
    const id = await own.step(pieces(45))
    const queries = ['', '?limit=100', '?limit=7&cursor=3', '?cursor=44', '?cursor=45']
    const before = await Promise.all(queries.map((query) => own.page(id, query)))
    const stream = () => own.stream(id, '?cursor=40')
    const streamed = await stream()
    const bytes = await own.bytes()

    expect(await own.archive()).toBe(1)
    expect(await own.inDatabase(id)).toBe(0)
    expect(await Promise.all(queries.map((query) => own.page(id, query)))).toEqual(before)
    expect(await stream()).toBe(streamed)
    expect(await own.bytes(), 'what is kept counts wherever it is').toBe(bytes)
    expect(await own.archive()).toBe(0)

    const [object, ...more] = await contents()
    expect(more).toEqual([])
    expect(object?.toString('latin1')).not.toContain('piece')
  })

  test('what is removed from the database is removed from the archive, and nothing else', async () => {
    const { archive, contents } = await place()
    await using own = await installation(archive)
    const kept = await own.step(['kept\n'])
    const old = await own.step(['old\n'], { endedBefore: 40 * 24 * 60 * minuteMs })
    expect(await own.archive()).toBe(2)
    await deleteExpiredStepLogs(30)(own.db, new Date())
    expect((await own.page(old)).data).toEqual([])
    await own.archive()
    expect(await contents(), 'somebody may still be writing it').toHaveLength(2)
    await own.archive(11 * minuteMs)
    expect(await contents()).toHaveLength(1)
    expect((await own.page(kept)).data).toMatchObject([{ text: 'kept\n' }])

    await own.db.delete(pipelineRuns).where(eq(pipelineRuns.id, own.pipelineRunId))
    await own.archive(11 * minuteMs)
    expect(await contents()).toEqual([])
    expect(await own.bytes()).toBe(0)
  })
})

test('a log stays in the database until one minute after the end of its step', async () => {
  const { archive, contents } = await folder()
  await using own = await installation(archive)
  const id = await own.step(['just over\n'], { endedBefore: 0 })
  const under = newId('step')
  const named = { stepId: under, stepName: 'Build', stepType: 'command', engineWorkflowId: under }
  const state = { status: 'IN_PROGRESS', queueReason: 'READY', queueMetadata: {} } as const
  const { organizationId, pipelineRunId } = own
  await own.db.insert(pipelineStepExecutions).values({ id: under, organizationId, pipelineRunId, ...named, ...state })
  await own.write(under, ['under way\n'])
  expect(await own.archive()).toBe(0)
  expect(await contents()).toEqual([])
  expect(await own.archive(2 * minuteMs)).toBe(1)
  expect([await own.inDatabase(id), await own.inDatabase(under)]).toEqual([0, 1])
})

test('a long log becomes several objects, and a page reads only those that it needs', async () => {
  const { archive, contents } = await folder()
  const asked: string[] = []
  const watched: Archive = {
    ...archive,
    get(key) {
      asked.push(key)
      return archive.get(key)
    },
  }
  await using own = await installation(watched)
  const id = await own.step([...pieces(1_000), 'x'.repeat(3_000_000), 'y'.repeat(3_000_000), 'last\n'])
  expect(await own.archive()).toBe(3) // at most a thousand chunks and 4 MiB per object
  expect(await contents()).toHaveLength(3)
  const { data } = await own.page(id, '?cursor=1002')
  expect(data).toMatchObject([{ sequence: 1003, text: 'last\n' }])
  expect(asked).toHaveLength(1)
  const around = await own.page(id, '?cursor=998&limit=3')
  expect(around.data.map(({ sequence, text }) => [sequence, text.slice(0, 10)])).toEqual([
    [999, 'piece 999\n'],
    [1000, 'piece 1000'],
    [1001, 'xxxxxxxxxx'],
  ])
  expect(asked).toHaveLength(3) // the last one is still cached
})

test('a crash between the object and the row loses nothing and leaves nothing behind', async () => {
  const { archive, contents } = await folder()
  await using own = await installation(archive)
  const id = await own.step(pieces(3))
  const before = await own.page(id)
  const dying: Archive = {
    ...archive,
    async put(key, bytes) {
      await archive.put(key, bytes)
      throw new Error('killed')
    },
  }
  await expect(own.archive(0, dying)).rejects.toThrow('killed')
  expect(await contents()).toHaveLength(1)
  expect(await own.page(id)).toEqual(before)
  expect(await own.archive(), 'it may still be alive').toBe(0)
  expect(await own.archive(6 * minuteMs)).toBe(1)
  expect(await contents()).toHaveLength(1)
  expect(await own.page(id)).toEqual(before)
})

test('a process that resumes after another one has archived a log changes nothing', async () => {
  const { archive, contents } = await folder()
  await using own = await installation(archive)
  const id = await own.step(pieces(3))
  const before = await own.page(id)
  const late: Archive = {
    ...archive,
    async put(key, bytes) {
      expect(await own.archive(6 * minuteMs)).toBe(1) // the lease has expired, and another process archives it
      await archive.put(key, bytes)
    },
  }
  await own.archive(0, late)
  expect(await own.page(id)).toEqual(before)
  expect(await contents()).toHaveLength(1)
})

test('an unreadable or corrupt archive is reported as an error and not as an empty log', async () => {
  const { archive, directory } = await folder()
  let isAway = false
  const shaky: Archive = {
    ...archive,
    async get(key) {
      if (isAway) throw new ArchiveError('the disk is away')
      return archive.get(key)
    },
  }
  await using own = await installation(shaky)
  const id = await own.step(pieces(3))
  await own.archive()
  const path = `/pipeline-step-executions/${id}/logs`
  const refused = { status: 503, body: { code: 'Sluice:PipelineStepExecutions:LOG_UNREADABLE' } }
  isAway = true
  for (const each of [path, `${path}/stream`]) expect(await own.client.ask('GET', each)).toMatchObject(refused)
  isAway = false
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const [file] = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  const whole = await readFile(file ?? '')
  await writeFile(file ?? '', whole.with(40, whole[40] === 0 ? 1 : 0))
  const { body, ...answer } = await own.client.ask('GET', path)
  expect({ ...answer, body }).toMatchObject(refused)
  expect(JSON.stringify(body), "the operator's places are nobody's business").not.toContain(directory)
  await writeFile(file ?? '', whole)
  expect((await own.page(id)).data).toHaveLength(3)
})

test('the log of another organization cannot be found in the archive either', async () => {
  const { archive } = await folder()
  await using own = await installation(archive)
  const id = await own.step(pieces(1))
  await own.archive()
  expect((await own.page(id)).data).toHaveLength(1) // and it is cached in this process now
  const stranger = new Client(own.world.url, (await seedOrganization(own.db)).key)
  expect(await stranger.ask('GET', `/pipeline-step-executions/${id}/logs`)).toMatchObject({ status: 404 })
})

test('a retention of a thousand days keeps recent logs', async () => {
  const { archive, contents } = await folder()
  await using own = await installation(archive)
  const id = await own.step(pieces(1), { endedBefore: Date.now() - daysBefore(new Date(), 999).getTime() })
  await own.archive()
  await deleteExpiredStepLogs(1_000)(own.db, new Date())
  await own.archive(11 * minuteMs)
  expect(await contents()).toHaveLength(1)
  expect((await own.page(id)).data).toHaveLength(1)
})

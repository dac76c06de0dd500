import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { DeploymentReader } from '../src/delivery/deployment-archives/read.ts'
import { deploymentArchives } from '../src/delivery/deployment-archives/tables.ts'
import { deployments } from '../src/delivery/deployments/store/tables.ts'
import { pipelineStepExecutions, stepLogChunks } from '../src/pipelines/pipelines/tables.ts'
import { LogReader } from '../src/pipelines/step-logs/read.ts'
import { archivedStepLogs } from '../src/pipelines/step-logs/tables.ts'
import { openFolder } from '../src/platform/archive/folder.ts'
import { removeOrphanedObjects } from '../src/platform/archive/removals.ts'
import { createSeal } from '../src/platform/crypto/seal.ts'
import { eq, sql } from '../src/platform/db/drizzle.ts'
import { openDatabase } from '../src/platform/db/open.ts'
import { firstIdAt } from '../src/platform/ids.ts'
import { createTestDatabase } from '../src/testing/database.ts'
import { seedOrganization } from '../src/testing/http-world.ts'
import { createOneOfEverything } from '../src/testing/resources.ts'
import type { Archiving } from './archiving-program.ts'
import { compileCache, programHere } from './programs.ts'
import { withProgressLimit } from './progress.ts'
import { Random, suiteSeed } from './random.ts'

const program = programHere('archiving-program')
const kills = 25
const [steps, piecesEach] = [60, 40]
const releases = 4_000
const hourMs = 3_600_000

/** Starts with a database that has one of everything and an empty archive. */
async function startArchive(what: Archiving['what']) {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-archive-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { url: databaseUrl = '', location, drop } = await createTestDatabase()
  const { db, close } = await openDatabase(location)
  onTestFinished(async () => {
    await close()
    await drop()
  })
  const owner = await seedOrganization(db)
  const one = await createOneOfEverything(db, owner)
  for (const table of [stepLogChunks, archivedStepLogs, deploymentArchives]) await db.delete(table)
  await db.execute(sql`delete from archive_removals`)
  const random = new Random(suiteSeed())
  const key = randomBytes(32)
  const archive = openFolder(folder)
  const archiveSeal = createSeal([key])
  /** Starts the nth program after the leases of the previous one have expired. */
  const start = (nth: number): ChildProcess => {
    const given: Archiving = { what, databaseUrl, folder, key: key.toString('base64'), aheadMs: nth * hourMs }
    return fork(program, [JSON.stringify(given)], { env: { ...process.env, NODE_COMPILE_CACHE: compileCache } })
  }
  return {
    db,
    one,
    archive,
    archiveSeal,
    organizationId: owner.organizationId,
    /** Archives everything although the program is killed again and again. */
    async moveAll(mostMs: number) {
      let amid = 0
      for (let nth = 0; nth < kills; nth += 1) {
        const child = start(nth)
        const exited = once(child, 'exit')
        await withProgressLimit('the archiving program to begin', Promise.race([once(child, 'message'), exited]))
        await sleep(random.between(0, mostMs)) // time of the kill
        child.kill('SIGKILL')
        const [code] = await exited
        if (code === null) amid += 1
      }
      const last = start(kills)
      onTestFinished(() => void last.kill('SIGKILL'))
      const [code] = await withProgressLimit('the archiving program to end', once(last, 'exit'))
      expect({ code, isMostlyAmid: amid > kills / 2 }).toEqual({ code: 0, isMostlyAmid: true })
    },
    /** Returns the complete objects. An interrupted write has a temporary name. */
    async objects() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const files = entries.filter((one) => one.isFile()).map(({ name }) => name)
      return files.filter((name) => !name.endsWith('.new'))
    },
  }
}

test(`logs are moved to the archive whole and once, though who moves them is killed ${kills} times`, async ({
  skip,
}) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const { db, one, archive, archiveSeal, organizationId, moveAll, objects } = await startArchive('logs')
  const written = new Map<string, string[]>()
  for (let nth = 0; nth < steps; nth += 1) {
    const completedAt = new Date(Date.now() - hourMs - nth)
    const id = firstIdAt('step', completedAt)
    const named = { stepId: id, stepName: 'Build', stepType: 'command', engineWorkflowId: id }
    const state = { status: 'SUCCESS', queueReason: 'READY', queueMetadata: {}, completedAt } as const
    const own = { id, organizationId, pipelineRunId: one.byPath['pipeline-runs'] ?? '' }
    await db.insert(pipelineStepExecutions).values({ ...own, ...named, ...state })
    const texts = Array.from({ length: piecesEach }, (_, at) => `${id} ${at} ${randomBytes(600).toString('hex')}\n`)
    const ofStep = { organizationId, stepExecutionId: id, attemptEpoch: 1, writtenAt: completedAt }
    await db.insert(stepLogChunks).values(texts.map((text, at) => ({ ...ofStep, sequence: at + 1, text })))
    written.set(id, texts)
  }

  await moveAll(120)

  expect(await db.$count(stepLogChunks), 'pieces that are left in the database').toBe(0)
  const reader = new LogReader({ archive, archiveSeal })
  for (const [id, texts] of written) {
    const read = await reader.list(db, organizationId, id, { after: 0, limit: 1_000 })
    expect(read.map(({ text }) => text)).toEqual(texts)
  }
  expect(await objects(), 'one object for each stretch, and none besides').toHaveLength(
    await db.$count(archivedStepLogs),
  )
})

test(`old deployments are moved to the archive whole, though who moves them is killed ${kills} times`, async ({
  skip,
}) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const { db, one, archive, archiveSeal, organizationId, moveAll, objects } = await startArchive('deployments')
  const [given] = await db
    .select()
    .from(deployments)
    .where(eq(deployments.id, one.byPath.deployments ?? ''))
  if (!given) throw new Error('one of everything has a deployment')
  const rows = Array.from({ length: releases }, (_, nth) => {
    const at = new Date(Date.now() - 1_000 * hourMs + nth * 60_000)
    const text = randomBytes(300).toString('hex')
    const event = {
      currentStep: 1,
      totalSteps: 1,
      stepCode: 'BAKE',
      startedAt: at.toISOString(),
      message: text,
    } as const
    const data = { ...given.data, events: [event] }
    return { ...given, id: firstIdAt('dep', at), createdAt: at, updatedAt: at, completedAt: at, data }
  })
  for (let from = 0; from < rows.length; from += 250) await db.insert(deployments).values(rows.slice(from, from + 250))

  await moveAll(40)

  const { organizationId: of, id } = deployments
  const left = await db.select().from(deployments).where(eq(of, organizationId)).orderBy(id)
  const stayed = left.filter(({ archiveId }) => archiveId === null).map((row) => row.id)
  expect(stayed, 'the deployment that runs').toEqual([given.id])
  const ours = left.filter((row) => row.id !== given.id)
  const log = pino({ level: 'silent' })
  const whole = await new DeploymentReader({ archive, archiveSeal, log }).whole(db, ours)
  expect(whole.map(({ data }) => data)).toEqual(rows.map(({ data }) => data))
  await removeOrphanedObjects({ db, archive }, new Date(Date.now() + 2 * kills * hourMs))
  expect(await objects(), 'one object for each row that names one, and none besides').toHaveLength(
    await db.$count(deploymentArchives),
  )
})

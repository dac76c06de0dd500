import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { pipelineStepExecutions, stepLogChunks } from '../src/pipelines/pipelines/tables.ts'
import { LogReader } from '../src/pipelines/step-logs/read.ts'
import { archivedStepLogs } from '../src/pipelines/step-logs/tables.ts'
import { openFolder } from '../src/platform/archive/folder.ts'
import { createSeal } from '../src/platform/crypto/seal.ts'
import { sql } from '../src/platform/db/drizzle.ts'
import { openDatabase } from '../src/platform/db/open.ts'
import { firstIdAt } from '../src/platform/ids.ts'
import { createTestDatabase } from '../src/testing/database.ts'
import { seedOrganization } from '../src/testing/http-world.ts'
import { createOneOfEverything } from '../src/testing/resources.ts'
import type { Archiving } from './archiving-program.ts'
import { Random, seedFor } from './random.ts'

const program = fileURLToPath(new URL('./archiving-program.ts', import.meta.url))
const kills = 25
const [steps, piecesEach] = [60, 40]
const hourMs = 3_600_000

test(`logs are moved to the archive whole and once, though who moves them is killed ${kills} times`, async ({
  skip,
}) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const random = new Random(seedFor('archiving'))
  const folder = await mkdtemp(join(tmpdir(), 'sluice-archive-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { url: databaseUrl = '', location, drop } = await createTestDatabase()
  const { db, close } = await openDatabase(location)
  onTestFinished(async () => {
    await close()
    await drop()
  })
  const owner = await seedOrganization(db)
  const { organizationId } = owner
  const { byPath } = await createOneOfEverything(db, owner)
  for (const table of [stepLogChunks, archivedStepLogs]) await db.delete(table)
  await db.execute(sql`delete from archive_removals`)

  const written = new Map<string, string[]>()
  for (let nth = 0; nth < steps; nth += 1) {
    const completedAt = new Date(Date.now() - hourMs - nth)
    const id = firstIdAt('step', completedAt)
    const named = { stepId: id, stepName: 'Build', stepType: 'command', engineWorkflowId: id }
    const state = { status: 'SUCCESS', queueReason: 'READY', queueMetadata: {}, completedAt } as const
    const own = { id, organizationId, pipelineRunId: byPath['pipeline-runs'] ?? '' }
    await db.insert(pipelineStepExecutions).values({ ...own, ...named, ...state })
    const texts = Array.from({ length: piecesEach }, (_, at) => `${id} ${at} ${randomBytes(600).toString('hex')}\n`)
    const ofStep = { organizationId, stepExecutionId: id, attemptEpoch: 1, writtenAt: completedAt }
    await db.insert(stepLogChunks).values(texts.map((text, at) => ({ ...ofStep, sequence: at + 1, text })))
    written.set(id, texts)
  }

  const key = randomBytes(32)
  /** Each begins when what the one before it had claimed is free again. */
  const start = (nth: number): ChildProcess => {
    const given: Archiving = { databaseUrl, folder, key: key.toString('base64'), aheadMs: nth * hourMs }
    return fork(program, [JSON.stringify(given)])
  }
  let amid = 0
  for (let nth = 0; nth < kills; nth += 1) {
    const child = start(nth)
    const exited = once(child, 'exit')
    await once(child, 'message')
    await sleep(random.between(0, 120))
    child.kill('SIGKILL')
    const [code] = await exited
    if (code === null) amid += 1
  }
  const [code] = await once(start(kills), 'exit')
  expect({ code, isMostlyAmid: amid > kills / 2 }).toEqual({ code: 0, isMostlyAmid: true })

  expect(await db.$count(stepLogChunks), 'pieces that are left in the database').toBe(0)
  const reader = new LogReader({ archive: openFolder(folder), archiveSeal: createSeal([key]) })
  for (const [id, texts] of written) {
    const read = await reader.list(db, organizationId, id, { after: 0, limit: 1_000 })
    expect(read.map(({ text }) => text)).toEqual(texts)
  }
  const rows = await db.select().from(archivedStepLogs)
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
  // What was being written at a kill is no object: it has another name until it is whole.
  const objects = files.map(({ name }) => name).filter((name) => !name.endsWith('.new'))
  expect(objects, 'one object for each stretch, and none besides').toHaveLength(rows.length)
})

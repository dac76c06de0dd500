import { appendFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../platform/db/open.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { follow } from '../runner/follow.ts'
import { openYard, type Yard } from '../runner/runner.fixture.ts'
import { Mask } from './mask.ts'
import { StepLog } from './step-log.ts'
import { listChunks } from './store.ts'

let database: Database
let yard: Yard
let directory: string
beforeAll(async () => {
  database = await openTestDatabase()
  yard = await openYard(database.db)
})
afterAll(async () => {
  await yard?.[Symbol.asyncDispose]()
  await database?.close()
})
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-log-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const ended = Promise.resolve()
const underWay = { status: 'IN_PROGRESS', attemptEpoch: 1 } as const
const step = () => yard.command({}, { step: underWay })
const chunksOf = (id: string, limit = 10_000) => listChunks(database.db, yard.organizationId, id, { after: 0, limit })

function openLog(id: string, more: { limit?: number; mask?: Mask; attemptEpoch?: number } = {}) {
  const { mask = new Mask(), attemptEpoch = 1, limit } = more
  const attempt = { organizationId: yard.organizationId, id, attemptEpoch }
  const log = pino({ level: 'silent' })
  return StepLog.open({ db: database.db, attempt, mask, clock: () => new Date(), log, onStored: () => {}, limit })
}

describe('the log of a step', () => {
  test('is stored in whole lines, in chunks that are numbered without gaps', async () => {
    const id = await step()
    const file = join(directory, 'output')
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} ${'x'.repeat(index % 100)}`)
    await writeFile(file, `${lines.join('\n')}\n`)
    const log = await openLog(id)
    await follow({ file, source: 'p', log, mask: new Mask(), ended })
    await log.flush()
    const chunks = await chunksOf(id)
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks.map(({ sequence }) => sequence)).toEqual(chunks.map((_, index) => index + 1))
    for (const { text } of chunks) {
      expect(text.endsWith('\n')).toBe(true)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024)
    }
    expect(chunks.map(({ text }) => text).join('')).toBe(`${lines.join('\n')}\n`)
  })

  test('goes on after a crash at any place without losing or repeating a line', async () => {
    const id = await step()
    const file = join(directory, 'output')
    await writeFile(file, '')
    const written: string[] = []
    for (let life = 0; life < 12; life += 1) {
      const more = Array.from({ length: 700 }, (_, index) => `life ${life} line ${index} ${'y'.repeat(60)}`)
      written.push(...more)
      await appendFile(file, `${more.join('\n')}\n`)
      const log = await openLog(id)
      await follow({ file, source: 'p', log, mask: new Mask(), ended })
      // Its first chunk is on its way or stored, and what was not yet full is gone with the process.
      if (life % 3 === 2) await log.flush()
      log.abandon()
      await log.flush()
    }
    const log = await openLog(id)
    await follow({ file, source: 'p', log, mask: new Mask(), ended })
    await log.flush()
    expect(await yard.logOf(id)).toBe(`${written.join('\n')}\n`)
  })

  test('is not written by an attempt that is over, and goes on with the next', async () => {
    const id = await step()
    const old = await openLog(id, { attemptEpoch: 0 })
    old.add('p', 4, 'old')
    await old.flush()
    const present = await openLog(id)
    present.add('p', 4, 'new')
    await present.flush()
    expect((await chunksOf(id)).map(({ sequence, attemptEpoch, text }) => [sequence, attemptEpoch, text])).toEqual([
      [1, 1, 'new\n'],
    ])
  })

  test('is cut where it grows too long, says so once, and its file does not grow any more', async () => {
    const id = await step()
    const file = join(directory, 'output')
    const lines = Array.from({ length: 3_000 }, () => 'z'.repeat(999))
    await writeFile(file, `${lines.join('\n')}\n`)
    const limit = 1024 * 1024
    const log = await openLog(id, { limit })
    let end: () => void = () => {}
    const endedLater = new Promise<void>((resolve) => {
      end = resolve
    })
    const followed = follow({ file, source: 'p', log, mask: new Mask(), ended: endedLater })
    await expect.poll(async () => (await stat(file)).size).toBe(0)
    await appendFile(file, 'more\n')
    end()
    await followed
    await log.flush()
    const text = await yard.logOf(id)
    expect(text.length).toBeLessThan(limit + 200)
    expect(text.match(/The log is cut here: more than 1 MB are not kept/g)).toHaveLength(1)
    expect(text).not.toContain('more\n')

    const again = await openLog(id, { limit })
    again.add('p', 5, 'after a crash')
    await again.flush()
    expect(await yard.logOf(id)).toBe(text)
  })

  test('of 50 MB does not grow the memory', async () => {
    const id = await step()
    const file = join(directory, 'output')
    const line = `${'0123456789'.repeat(20)}\n`
    await writeFile(file, '')
    for (let mega = 0; mega < 50; mega += 1) await appendFile(file, line.repeat(Math.ceil((1024 * 1024) / line.length)))
    const mask = new Mask()
    mask.add('a secret that is not in it')
    const log = await openLog(id, { mask })
    const before = memory()
    let most = 0
    let lines = 0
    const onLine = (text: string) => {
      lines += 1
      if (lines % 20_000 === 0) most = Math.max(most, memory() - before)
      return lines % 100 === 0 ? text : undefined // the embedded database would keep all of it in this very process
    }
    await follow({ file, source: 'p', log, mask, onLine, ended })
    await log.flush()
    expect(lines).toBeGreaterThan(250_000)
    expect(most / 1024 / 1024).toBeLessThan(20)
  })
})

/** What is held after garbage was collected. */
function memory(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

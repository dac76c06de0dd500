import { appendFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { LogChunk, LogPosition } from '@sluice/contract/runner-protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { untilPasses } from '../../../../testing/until-passes.ts'
import { AttemptEnded } from '../api/attempt-client.ts'
import { followOutput } from './follow.ts'
import { Mask } from './mask.ts'
import { StepLog } from './step-log.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-log-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const ended = Promise.resolve()

/** The log of an attempt as an API stores it. */
class Kept {
  readonly pieces: LogChunk[] = []
  isOver = false

  get text(): string {
    return this.pieces.map(({ text }) => text).join('')
  }

  open({ mask = new Mask(), limit }: { mask?: Mask; limit?: number } = {}): StepLog {
    return new StepLog({ position: this.#place(), mask, limit, store: (piece) => this.#store(piece) })
  }

  #place(): LogPosition {
    const last = this.pieces.at(-1)
    const bytes = Buffer.byteLength(this.text)
    return { sequence: last?.sequence ?? 0, offsets: last?.offsets ?? {}, bytes, text: last?.text ?? '' }
  }

  async #store(piece: LogChunk): Promise<void> {
    if (this.isOver) throw new AttemptEnded('over')
    if (!this.pieces.some(({ sequence }) => sequence === piece.sequence)) this.pieces.push(structuredClone(piece))
  }
}

describe('the log of a step', () => {
  test('is stored as whole lines in pieces with consecutive numbers', async () => {
    const kept = new Kept()
    const file = join(directory, 'output')
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} ${'x'.repeat(index % 100)}`)
    await writeFile(file, `${lines.join('\n')}\n`)
    const log = kept.open()
    await followOutput({ file, source: 'p', log, mask: new Mask(), ended })
    await log.flush()
    const chunks = kept.pieces
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks.map(({ sequence }) => sequence)).toEqual(chunks.map((_, index) => index + 1))
    for (const { text } of chunks) {
      expect(text.endsWith('\n')).toBe(true)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024)
    }
    expect(chunks.map(({ text }) => text).join('')).toBe(`${lines.join('\n')}\n`)
  })

  test('continues after a crash without losing or repeating a line', async () => {
    const kept = new Kept()
    const file = join(directory, 'output')
    await writeFile(file, '')
    const written: string[] = []
    for (let life = 0; life < 12; life += 1) {
      const more = Array.from({ length: 700 }, (_, index) => `life ${life} line ${index} ${'y'.repeat(60)}`)
      written.push(...more)
      await appendFile(file, `${more.join('\n')}\n`)
      const log = kept.open()
      await followOutput({ file, source: 'p', log, mask: new Mask(), ended })
      // Its first piece is in transit or stored. Lines of a piece that was not full are lost with the process.
      if (life % 3 === 2) await log.flush()
      log.abandon()
      await log.flush()
    }
    const log = kept.open()
    await followOutput({ file, source: 'p', log, mask: new Mask(), ended })
    await log.flush()
    expect(kept.text).toBe(`${written.join('\n')}\n`)
  })

  test('of an ended attempt rejects further lines', async () => {
    const kept = new Kept()
    const log = kept.open()
    log.add('p', 4, 'old')
    await log.flush()
    kept.isOver = true
    log.add('p', 8, 'new')
    await expect(log.flush()).rejects.toThrow(AttemptEnded)
    expect(kept.text).toBe('old\n')
  })

  test('replaces characters that a database cannot store', async () => {
    const kept = new Kept()
    const log = kept.open()
    log.add('p', 1, 'a\0b\ud800c')
    await log.flush()
    expect(kept.text).toBe('a\uFFFDb\uFFFDc\n')
  })

  test('truncates lines above the maximum of the API', async () => {
    const kept = new Kept()
    const log = kept.open()
    log.add('p', 1, 'x'.repeat(1_000_000))
    await log.flush()
    expect(kept.pieces.map(({ text }) => text.length)).toEqual([96 * 1024 + 1])
  })

  test('returns later lines for the settlement after the API rejected a piece', async () => {
    const reject = async () => {
      throw new Error('400')
    }
    const log = new StepLog({
      position: { sequence: 0, offsets: {}, bytes: 0, text: '' },
      mask: new Mask(),
      store: reject,
    })
    log.add('p', 1, 'one')
    await expect(log.flush()).rejects.toThrow('400')
    log.add('p', 2, 'two')
    expect(await log.takeUnstored()).toMatchObject([{ text: 'two\n' }])
  })

  test('returns lines that are not stored yet for the settlement', async () => {
    const kept = new Kept()
    const log = kept.open()
    log.add('p', 6, 'first')
    await log.flush()
    log.add('p', 13, 'second')
    expect(await log.takeUnstored()).toEqual([{ sequence: 2, text: 'second\n', offsets: { p: 13 } }])
    await log.flush()
    expect(kept.text).toBe('first\n')
  })

  test('is truncated at its limit with one notice, and its file stops growing', async () => {
    const kept = new Kept()
    const file = join(directory, 'output')
    const lines = Array.from({ length: 3_000 }, () => 'z'.repeat(999))
    await writeFile(file, `${lines.join('\n')}\n`)
    const limit = 1024 * 1024
    const log = kept.open({ limit })
    let end: () => void = () => {}
    const endedLater = new Promise<void>((resolve) => {
      end = resolve
    })
    let shown = 0
    const onLoggedLine = () => {
      shown += 1
    }
    const followed = followOutput({ file, source: 'p', log, mask: new Mask(), onLoggedLine, ended: endedLater })
    await untilPasses(async () => expect((await stat(file)).size).toBe(0))
    expect(shown, 'see onLoggedLine: it gets the lines before the truncation').toBe(1_049)
    await appendFile(file, 'more\n')
    end()
    await followed
    await log.flush()
    const text = kept.text
    expect(text.length).toBeLessThan(limit + 200)
    expect(text.match(/Log truncated: it exceeds the limit of 1 MB\./g)).toHaveLength(1)
    expect(text).not.toContain('more\n')

    const again = kept.open({ limit })
    again.add('p', 5, 'after a crash')
    await again.flush()
    expect(kept.text).toBe(text)
  })

  test('of 50 MB does not increase the memory use', async () => {
    const kept = new Kept()
    const file = join(directory, 'output')
    const line = `${'0123456789'.repeat(20)}\n`
    await writeFile(file, '')
    for (let mega = 0; mega < 50; mega += 1) await appendFile(file, line.repeat(Math.ceil((1024 * 1024) / line.length)))
    const mask = new Mask()
    mask.add('a secret that is not in it')
    const log = kept.open({ mask })
    const before = memory()
    let most = 0
    let lines = 0
    const onLine = (text: string) => {
      lines += 1
      if (lines % 20_000 === 0) most = Math.max(most, memory() - before)
      return lines % 100 === 0 ? text : undefined // keeps few lines, because the log is stored in this process
    }
    await followOutput({ file, source: 'p', log, mask, onLine, ended })
    await log.flush()
    expect(lines).toBeGreaterThan(250_000)
    expect(most / 1024 / 1024).toBeLessThan(20)
  })
})

/** Returns the memory in use after a garbage collection. */
function memory(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db } from '../../platform/db/open.ts'
import type { AttemptKey } from '../pipeline-step-executions/present-attempt.ts'
import type { Mask } from './mask.ts'
import { insertChunk, lastChunk, storedBytes } from './store.ts'

/** What is stored at once, in bytes, and after how long at the latest, in milliseconds. */
const chunkBytes = 64 * 1024
const flushMs = 250
/** The chunks that may wait to be stored; then whoever writes waits. */
const mostWaiting = 4
/** Before a chunk that could not be stored is tried again. Milliseconds. */
const againMs = 1_000
/** The most that is kept of an attempt. Bytes. */
const usualLimit = 100 * 1024 * 1024

/** How many of its last lines are at hand. */
const linesToShow = 20

/** The last line of a log that grew too long. */
const cutLine = (limit: number) =>
  `The log is cut here: more than ${Math.round(limit / 1024 / 1024)} MB are not kept.\n`

export type StepLogParts = {
  db: Db
  attempt: AttemptKey
  mask: Mask
  clock: () => Date
  log: Logger
  /** Called whenever there is more to read. */
  onStored: () => void
  limit?: number | undefined
}

type Chunk = { text: string; bytes: number; offsets: Record<string, number> }

/**
 * Writes the log of an attempt: lines of several sources, masked, in the order in which they come. With each chunk stands
 * how far its sources are stored, so that whoever goes on after a crash neither loses nor repeats a line.
 */
export class StepLog {
  readonly #parts: StepLogParts
  readonly #limit: number
  /** The last one grows, the others are full. */
  readonly #waiting: Chunk[] = []
  #sequence: number
  #bytes: number
  readonly #offsets: Record<string, number>
  #isCut: boolean
  #isAbandoned = false
  readonly #lastLines: string[]
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  static async open(parts: StepLogParts): Promise<StepLog> {
    const { db, attempt } = parts
    const last = await lastChunk(db, attempt.organizationId, attempt.id)
    if (last?.attemptEpoch !== attempt.attemptEpoch) return new StepLog(parts, { sequence: last?.sequence ?? 0 })
    const { sequence, offsets, text } = last
    return new StepLog(parts, { sequence, offsets, text, bytes: await storedBytes(db, attempt) })
  }

  private constructor(
    parts: StepLogParts,
    stored: { sequence: number; offsets?: Record<string, number>; text?: string; bytes?: number },
  ) {
    this.#parts = parts
    this.#limit = parts.limit ?? usualLimit
    this.#sequence = stored.sequence
    this.#offsets = stored.offsets ?? {}
    this.#bytes = stored.bytes ?? 0
    this.#isCut = stored.text?.endsWith(cutLine(this.#limit)) ?? false
    this.#lastLines = stored.text?.trimEnd().split('\n').slice(-linesToShow) ?? []
  }

  /** How far a source is in the log, in bytes. */
  offsetOf(source: string): number {
    return this.#offsets[source] ?? 0
  }

  /** Whether nothing is taken any more, because the log has grown too long. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** The lines that were added last, masked. */
  get lastLines(): string[] {
    return this.#lastLines
  }

  /** Adds a line of a source, which ends at `end` there. Without a text it only counts as read. */
  add(source: string, end: number, text?: string): void {
    this.#offsets[source] = end
    if (text === undefined || this.#isCut || this.#isAbandoned) return
    const shown = this.#parts.mask.hide(text)
    this.#lastLines.push(shown)
    if (this.#lastLines.length > linesToShow) this.#lastLines.shift()
    const line = `${shown}\n`
    const bytes = Buffer.byteLength(line)
    this.#isCut = this.#bytes + bytes > this.#limit
    if (this.#isCut) this.#append(cutLine(this.#limit), 0)
    else this.#append(line, bytes)
  }

  #append(line: string, bytes: number): void {
    this.#bytes += bytes
    const growing = this.#waiting.at(-1)
    if (growing && growing.bytes + bytes <= chunkBytes) {
      growing.text += line
      growing.bytes += bytes
      Object.assign(growing.offsets, this.#offsets)
    } else {
      this.#waiting.push({ text: line, bytes, offsets: { ...this.#offsets } })
    }
    if (this.#waiting.length > 1) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), flushMs)
  }

  /** Waits while there is more in memory than is good. */
  async room(): Promise<void> {
    if (this.#waiting.length >= mostWaiting) await this.flush()
  }

  /** Stores all that was added. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#storeWaiting())
    return this.#writing
  }

  /** Stores nothing any more: the attempt is another's, or its runner stops. */
  abandon(): void {
    this.#isAbandoned = true
    this.#waiting.length = 0
    clearTimeout(this.#timer)
  }

  async #storeWaiting(): Promise<void> {
    for (let chunk = this.#waiting.shift(); chunk; chunk = this.#waiting.shift()) {
      while (!this.#isAbandoned && !(await this.#isStored(chunk))) await sleep(againMs)
      this.#parts.onStored()
    }
  }

  /** False if it must be tried again. */
  async #isStored({ text, offsets }: Chunk): Promise<boolean> {
    const { db, attempt, clock, log } = this.#parts
    const sequence = this.#sequence + 1
    try {
      const chunk = { sequence, writtenAt: clock(), text, offsets }
      if (!(await insertChunk(db, attempt, chunk))) this.abandon()
      this.#sequence = sequence
      return true
    } catch (error) {
      log.warn({ err: error, step: attempt.id }, 'a piece of its log could not be stored yet')
      return this.#wasStored(sequence)
    }
  }

  /** Whether a chunk is there though storing it failed: the database may have done it and its answer was lost. */
  async #wasStored(sequence: number): Promise<boolean> {
    const { db, attempt } = this.#parts
    const last = await lastChunk(db, attempt.organizationId, attempt.id).catch(() => undefined)
    if (last?.sequence !== sequence) return false
    this.#sequence = sequence
    return true
  }
}

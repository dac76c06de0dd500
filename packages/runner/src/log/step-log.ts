import type { LogPiece, LogPlace } from '@sluice/contract/runner-protocol'
import { AttemptOver } from '../api/attempt-calls.ts'
import type { Mask } from './mask.ts'

/** What is stored at once, in bytes, and after how long at the latest, in milliseconds. */
const pieceBytes = 64 * 1024
const flushMs = 250
/** The pieces that may wait to be stored; then whoever writes waits. */
const mostWaiting = 4
/** The most that is kept of an attempt. Bytes. */
const usualLimit = 100 * 1024 * 1024

/** How many of its last lines are at hand. */
const linesToShow = 20

/** The last line of a log that grew too long. */
const cutLine = (limit: number) =>
  `The log is cut here: more than ${Math.round(limit / 1024 / 1024)} MB are not kept.\n`

/** Less than the API takes at once. Programs' lines are shorter; what the runner itself says may name many things. */
const maxLineCharacters = 96 * 1024

/** Neither JSON of other programs nor a database keeps what is replaced here. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

export type StepLogParts = {
  /** How far it is stored. */
  place: LogPlace
  mask: Mask
  /** Stores a piece; a piece that is stored already is not stored again. Waits for an API that is away. */
  store: (piece: LogPiece) => Promise<void>
  limit?: number | undefined
}

type Growing = { text: string; bytes: number; offsets: Record<string, number> }

/**
 * Writes the log of an attempt: lines of several sources, masked, in the order in which they come. With each piece
 * stands how far its sources are stored, so that whoever goes on after a crash neither loses nor repeats a line.
 */
export class StepLog {
  readonly #parts: StepLogParts
  readonly #limit: number
  /** The last one grows, the others are full. */
  readonly #waiting: Growing[] = []
  #sequence: number
  #bytes: number
  readonly #offsets: Record<string, number>
  #isCut: boolean
  #isAbandoned = false
  readonly #lastLines: string[]
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: StepLogParts) {
    const { sequence, offsets, bytes, text } = parts.place
    this.#parts = parts
    this.#limit = parts.limit ?? usualLimit
    this.#sequence = sequence
    this.#offsets = { ...offsets }
    this.#bytes = bytes
    this.#isCut = text.endsWith(cutLine(this.#limit))
    this.#lastLines = text === '' ? [] : text.trimEnd().split('\n').slice(-linesToShow)
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
    const shown = this.#parts.mask.hide(storable(text)).slice(0, maxLineCharacters)
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
    if (growing && growing.bytes + bytes <= pieceBytes) {
      growing.text += line
      growing.bytes += bytes
      Object.assign(growing.offsets, this.#offsets)
    } else {
      this.#waiting.push({ text: line, bytes, offsets: { ...this.#offsets } })
    }
    if (this.#waiting.length > 1) this.#begin()
    else this.#timer ??= setTimeout(() => this.#begin(), flushMs)
  }

  /** Whoever flushes or waits for room hears of what goes wrong. */
  #begin(): void {
    this.flush().catch(() => {})
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

  /** What is not stored yet, for whoever stores it with the end of the attempt. Nothing is stored here after that. */
  async rest(): Promise<LogPiece[]> {
    clearTimeout(this.#timer)
    await this.#writing.catch(() => {}) // a piece that the API rejects is gone; the end of the attempt is not
    return this.#waiting.splice(0).map((piece) => this.#numbered(piece))
  }

  /** Stores nothing any more: the attempt is another's, or its runner stops. */
  abandon(): void {
    this.#isAbandoned = true
    this.#waiting.length = 0
    clearTimeout(this.#timer)
  }

  async #storeWaiting(): Promise<void> {
    for (let piece = this.#waiting.shift(); piece && !this.#isAbandoned; piece = this.#waiting.shift()) {
      try {
        await this.#parts.store(this.#numbered(piece))
      } catch (error) {
        if (error instanceof AttemptOver) this.abandon()
        throw error
      }
    }
  }

  #numbered({ text, offsets }: Growing): LogPiece {
    this.#sequence += 1
    return { sequence: this.#sequence, text, offsets }
  }
}

import type { LogChunk, LogPosition } from '@sluice/contract/runner-protocol'
import { AttemptEnded } from '../api/attempt-client.ts'
import type { Mask } from './mask.ts'

/** Maximum size of a piece, and maximum delay before it is stored. */
const pieceBytes = 64 * 1024
const flushMs = 250
/** Maximum number of pieces in memory. Writers wait above it. */
const maxWaitingPieces = 4
/** Default maximum size of an attempt's log. */
const defaultLimit = 100 * 1024 * 1024

/** Number of last lines to keep for errors. */
const lastLineCount = 20

/** Returns the last line of a log that was truncated at its limit. */
const createTruncationLine = (limit: number) =>
  `Log truncated: it exceeds the limit of ${Math.round(limit / 1024 / 1024)} MB.\n`

/** Below the maximum of the API. Lines of programs are shorter, but lines of the runner may list many names. */
const maxLineCharacters = 96 * 1024

/** Replaces characters that JSON parsers of other programs or databases reject. */
const toStorableText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

export type StepLogParts = {
  /** Position up to which the log is stored. */
  position: LogPosition
  mask: Mask
  /** Stores a piece, once per sequence number. Retries while the API is unavailable. */
  store: (piece: LogChunk) => Promise<void>
  limit?: number | undefined
}

type PendingPiece = { text: string; bytes: number; offsets: Record<string, number> }

/**
 * Writes the log of an attempt: masked lines of several sources in the order of their arrival. Each piece has the
 * positions of its sources, so that after a crash no line is lost or repeated.
 */
export class StepLog {
  readonly #parts: StepLogParts
  readonly #limit: number
  /** All pieces but the last are full. */
  readonly #waiting: PendingPiece[] = []
  #sequence: number
  #bytes: number
  readonly #offsets: Record<string, number>
  #isTruncated: boolean
  #isAbandoned = false
  readonly #lastLines: string[]
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: StepLogParts) {
    const { sequence, offsets, bytes, text } = parts.position
    this.#parts = parts
    this.#limit = parts.limit ?? defaultLimit
    this.#sequence = sequence
    this.#offsets = { ...offsets }
    this.#bytes = bytes
    this.#isTruncated = text.endsWith(createTruncationLine(this.#limit))
    this.#lastLines = text === '' ? [] : text.trimEnd().split('\n').slice(-lastLineCount)
  }

  /** Returns the position up to which a source is in the log, in bytes. */
  offsetOf(source: string): number {
    return this.#offsets[source] ?? 0
  }

  /** Whether the log has exceeded its limit and accepts no more lines. */
  get isTruncated(): boolean {
    return this.#isTruncated
  }

  /** The last lines, masked. */
  get lastLines(): string[] {
    return this.#lastLines
  }

  /** Adds a line that ends at `end` in its source. Without a text, only records the position. */
  add(source: string, end: number, text?: string): void {
    this.#offsets[source] = end
    if (text === undefined || this.#isTruncated || this.#isAbandoned) return
    const shown = this.#parts.mask.hide(toStorableText(text)).slice(0, maxLineCharacters)
    this.#lastLines.push(shown)
    if (this.#lastLines.length > lastLineCount) this.#lastLines.shift()
    const line = `${shown}\n`
    const bytes = Buffer.byteLength(line)
    this.#isTruncated = this.#bytes + bytes > this.#limit
    if (this.#isTruncated) this.#append(createTruncationLine(this.#limit), 0)
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
    if (this.#waiting.length > 1) this.#flushInBackground()
    else this.#timer ??= setTimeout(() => this.#flushInBackground(), flushMs)
  }

  /** Flushes in the background. Errors reach callers of `flush` and `waitForRoom`. */
  #flushInBackground(): void {
    this.flush().catch(() => {})
  }

  /** Waits while too much is in memory. */
  async waitForRoom(): Promise<void> {
    if (this.#waiting.length >= maxWaitingPieces) await this.flush()
  }

  /** Stores all added lines. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#storeWaiting())
    return this.#writing
  }

  /** Returns the pieces that are not stored yet, for the settlement of the attempt. Stores nothing afterwards. */
  async takeUnstored(): Promise<LogChunk[]> {
    clearTimeout(this.#timer)
    await this.#writing.catch(() => {}) // a rejected piece is lost, but the settlement must be sent
    return this.#waiting.splice(0).map((piece) => this.#numberPiece(piece))
  }

  /** Discards everything, because the attempt is lost or the runner stops. */
  abandon(): void {
    this.#isAbandoned = true
    this.#waiting.length = 0
    clearTimeout(this.#timer)
  }

  async #storeWaiting(): Promise<void> {
    for (let piece = this.#waiting.shift(); piece && !this.#isAbandoned; piece = this.#waiting.shift()) {
      try {
        await this.#parts.store(this.#numberPiece(piece))
      } catch (error) {
        if (error instanceof AttemptEnded) this.abandon()
        throw error
      }
    }
  }

  #numberPiece({ text, offsets }: PendingPiece): LogChunk {
    this.#sequence += 1
    return { sequence: this.#sequence, text, offsets }
  }
}

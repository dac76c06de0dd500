import { closeSync, openSync, readSync } from 'node:fs'
import { truncate } from 'node:fs/promises'
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Line, LineSplitter } from './line-splitter.ts'
import type { Mask } from './mask.ts'
import type { StepLog } from './step-log.ts'

const pieceBytes = 64 * 1024
/** Interval at which a growing file is polled. */
const pollIntervalMs = 100

export type FollowOptions = {
  /** File that a program writes to. It must exist. */
  file: string
  /** Name of the source in the log. */
  source: string
  log: StepLog
  mask: Mask
  onLine?: ((line: string) => string | undefined) | undefined
  onLoggedLine?: ((line: string) => void) | undefined
  /** Settles when the program writes nothing more. */
  ended: Promise<unknown>
}

/** Copies the output of a program into the log of its attempt until it ends. Keeps only a few pieces in memory. */
export async function followOutput({
  file,
  source,
  log,
  mask,
  onLine,
  onLoggedLine,
  ended,
}: FollowOptions): Promise<void> {
  const stored = log.offsetOf(source)
  // Callbacks receive all lines again after a crash, because their state was in memory.
  let position = onLine || onLoggedLine || log.isTruncated ? 0 : stored
  const lines = new LineSplitter(mask, position)
  const addLine = ({ text, end }: Line) => {
    const shown = onLine ? onLine(text) : text
    if (!log.isTruncated) onLoggedLine?.(text)
    if (end > stored) log.add(source, end, shown)
  }
  let hasEnded = false
  const endSeen = ended.then(() => {
    hasEnded = true
  })
  endSeen.catch(() => {}) // the caller awaits `ended` too
  const opened = openSync(file, 'r')
  const piece = Buffer.allocUnsafe(pieceBytes)
  try {
    for (;;) {
      const isLast = hasEnded
      // Synchronous: output that was just written is read faster than with the thread pool.
      const bytesRead = readSync(opened, piece, 0, pieceBytes, position)
      position += bytesRead
      for (const line of lines.add(piece.subarray(0, bytesRead))) addLine(line)
      await log.waitForRoom()
      if (bytesRead > 0) {
        await yieldToEventLoop() // lets other work run while a program writes without a pause
        continue
      }
      if (isLast) break
      if (log.isTruncated && !onLine && position > 0) {
        await truncate(file) // nothing reads the file any more, and it must not fill the disk
        position = 0
      }
      await Promise.race([endSeen, sleep(pollIntervalMs)])
    }
  } finally {
    closeSync(opened)
  }
  for (const line of lines.flush()) addLine(line)
}

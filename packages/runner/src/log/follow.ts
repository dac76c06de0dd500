import { closeSync, openSync, readSync } from 'node:fs'
import { truncate } from 'node:fs/promises'
import { setTimeout as sleep, setImmediate as turnOfOthers } from 'node:timers/promises'
import { type Line, Lines } from './lines.ts'
import type { Mask } from './mask.ts'
import type { StepLog } from './step-log.ts'

const pieceBytes = 64 * 1024
/** How often a file is looked at that grows. Milliseconds. */
const lookMs = 100

export type Followed = {
  /** What a program writes to. Must be there. */
  file: string
  /** The name that the log knows it by. */
  source: string
  log: StepLog
  mask: Mask
  onLine?: ((line: string) => string | undefined) | undefined
  onShownLine?: ((line: string) => void) | undefined
  /** Settles when nothing is written any more. */
  ended: Promise<unknown>
}

/** Takes what a program writes into the log of its attempt, until its end, with no more than a few pieces in memory. */
export async function follow({ file, source, log, mask, onLine, onShownLine, ended }: Followed): Promise<void> {
  const stored = log.offsetOf(source)
  // Whoever looks at the lines sees all of them again after a crash: what it made of them was in memory.
  let position = onLine || onShownLine || log.isCut ? 0 : stored
  const lines = new Lines(mask, position)
  const take = ({ text, end }: Line) => {
    const shown = onLine ? onLine(text) : text
    if (!log.isCut) onShownLine?.(text)
    if (end > stored) log.add(source, end, shown)
  }
  let isOver = false
  const over = ended.then(() => {
    isOver = true
  })
  over.catch(() => {}) // whoever waits for it below is told
  const opened = openSync(file, 'r')
  const piece = Buffer.allocUnsafe(pieceBytes)
  try {
    for (;;) {
      const isLast = isOver
      // What was just written is read sooner than a thread of the pool is asked to.
      const bytesRead = readSync(opened, piece, 0, pieceBytes, position)
      position += bytesRead
      for (const line of lines.add(piece.subarray(0, bytesRead))) take(line)
      await log.room()
      if (bytesRead > 0) {
        await turnOfOthers() // before a program that writes without end is read without end
        continue
      }
      if (isLast) break
      if (log.isCut && !onLine && position > 0) {
        await truncate(file) // nobody reads it any more, and it must not fill the disk
        position = 0
      }
      await Promise.race([over, sleep(lookMs)])
    }
  } finally {
    closeSync(opened)
  }
  for (const line of lines.last()) take(line)
}

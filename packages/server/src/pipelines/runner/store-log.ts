import { type LogChunk, maxChunkLength } from '@sluice/contract/runner-protocol'
import type { Mask } from '@sluice/runner/log/mask'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { findReachedStorageLimit, type ReachedStorageLimit } from '../../platform/limits/stored.ts'
import type { LimitValues } from '../../platform/limits/table.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { insertChunk, insertWithin, lastChunk, type NewChunk, storedBytes } from '../step-logs/store.ts'

export type LogParts = {
  db: Db
  clock: () => Date
  mask: Mask
  /** Maximum sizes of an attempt's log, and of all logs of an organization. */
  mosts: Pick<LimitValues, 'stepLogBytes' | 'storedLogBytes'>
}

/** Stores a part of an attempt's log. The runner has masked it, and it is masked again here. */
export async function storeLog(
  { db, clock, mask, mosts }: LogParts,
  step: PipelineStepExecutionRow,
  pieces: LogChunk[],
): Promise<void> {
  const [first] = pieces
  if (!first) return
  const chunkOf = ({ sequence, text, offsets }: LogChunk): NewChunk => ({
    sequence,
    writtenAt: clock(),
    text: mask.hide(text).replaceAll('\0', '\uFFFD').toWellFormed(),
    offsets,
  })
  // In the common case of one chunk with enough space, a single statement is sufficient.
  const isRoomSure = mosts.stepLogBytes === undefined || first.sequence * maxChunkLength <= mosts.stepLogBytes
  const isFirstKept = isRoomSure && (await insertWithin(db, step, chunkOf(first), mosts.storedLogBytes))
  const left = isFirstKept ? pieces.slice(1) : pieces
  if (left.length === 0) return
  const full = await findReachedStorageLimit(mosts, db, step.organizationId, ['storedLogBytes'])
  for (const piece of left) {
    if (await isLogFull(db, step, piece.sequence, mosts.stepLogBytes)) break
    if (full && (await isTruncated(db, step))) break
    const kept = await insertChunk(db, step, full ? { ...chunkOf(piece), text: cutLine(full) } : chunkOf(piece))
    if (!kept)
      throw new ApiError(
        'attemptOver',
        'The attempt has ended: its step has ended, or another attempt is now executing it.',
      )
  }
}

/** Returns the last line of a log for which there is no space. The step continues. */
const cutLine = ({ message, remedy }: ReachedStorageLimit) => `${cutBegins} ${message} ${remedy}\n`
const cutBegins = 'The log is cut here.'

const isTruncated = async (db: Db, { organizationId, id }: PipelineStepExecutionRow): Promise<boolean> =>
  (await lastChunk(db, organizationId, id))?.text.startsWith(cutBegins) ?? false

/**
 * Reports whether an attempt's log has reached its maximum size. Our runner stops before; what another runner sends
 * beyond is dropped. A small number of chunks cannot exceed it.
 */
async function isLogFull(
  db: Db,
  step: PipelineStepExecutionRow,
  sequence: number,
  most = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  if (sequence * maxChunkLength <= most) return false
  return (await storedBytes(db, step)) + maxChunkLength > most
}

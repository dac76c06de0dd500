import type { Logger } from 'pino'
import type { Archive } from '../../platform/archive/archive.ts'
import { decryptArchiveObject, encryptArchiveObject, newParcelKey } from '../../platform/archive/parcel.ts'
import { removeOrphanedObjects } from '../../platform/archive/removals.ts'
import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { type PeriodicTask, startPeriodicTask } from '../../platform/rounds.ts'
import type { StepLogChunkRow } from '../pipelines/tables.ts'
import { chunkSizes, chunksOf, type EndedStep, endedSteps, leaseSection, recordStored } from './archive-store.ts'
import { type ArchivedStepLogRow, sealedLogKeys } from './tables.ts'

export type ArchivingParts = {
  /** Connection to all organizations, any of which may have logs of ended steps. */
  db: Db
  archive: Archive
  archiveSeal: Seal
  clock: () => Date
  log: Logger
  stopping?: AbortSignal
}

/** Maximum size of an archive object. Reading a page of a log opens one of them. */
const most = { chunks: 1_000, bytes: 4 * 1024 * 1024 }

/** Duration of a lease in milliseconds, longer than its requests can take. */
const claimMs = 5 * 60_000

/**
 * Delay in milliseconds after the end of a step, because a runner may send its last chunk again, which the database
 * must recognize.
 */
const settledMs = 60_000

/**
 * Moves the logs of ended steps to the archive, and deletes unreferenced objects. Returns the number of archived logs.
 */
export async function archiveLogs(parts: ArchivingParts): Promise<number> {
  const by = new Date(parts.clock().getTime() - settledMs)
  let moved = 0
  let after = ''
  while (!parts.stopping?.aborted) {
    const { over, last } = await endedSteps(parts.db, { after, by })
    if (last === undefined) break
    for (const step of over) moved += await archiveStep(parts, step)
    after = last
  }
  await removeOrphanedObjects(parts, parts.clock())
  return moved
}

async function archiveStep(parts: ArchivingParts, step: EndedStep): Promise<number> {
  for (let moved = 0; ; moved += 1) {
    if (parts.stopping?.aborted || !(await archiveSection(parts, step))) return moved
  }
}

/**
 * Archives the next section of a log. A crash before the row is complete leaves the chunks in place, and the next try
 * writes the same object again, as would a concurrent process.
 */
async function archiveSection({ db, archive, archiveSeal, clock }: ArchivingParts, step: EndedStep): Promise<boolean> {
  const extent = extentOf(await chunkSizes(db, step, most.chunks))
  if (!extent) return false
  const now = clock()
  const id = newId('asl')
  const stretch = await leaseSection(
    db,
    {
      id,
      organizationId: step.organizationId,
      stepExecutionId: step.id,
      ...extent,
      objectKey: `${step.organizationId}/step-logs/${step.id}/${extent.firstSequence}-${id}`,
      sealedKey: archiveSeal.closeBytes(createSealContext(sealedLogKeys, step.organizationId, id), newParcelKey()),
      claimedUntil: new Date(now.getTime() + claimMs),
    },
    now,
  )
  const chunks = stretch && (await chunksOf(db, stretch))
  if (!chunks) return false
  await archive.put(stretch.objectKey, await closeStretch(archiveSeal, stretch, chunks))
  await recordStored(db, stretch, clock())
  return true
}

type Extent = Pick<ArchivedStepLogRow, 'firstSequence' | 'lastSequence' | 'chunkCount' | 'textBytes'>

/** Returns as many of the first chunks as fit into an object, at least one. */
function extentOf(sizes: readonly { sequence: number; bytes: number }[]): Extent | undefined {
  const [first] = sizes
  if (!first) return undefined
  const extent = { firstSequence: first.sequence, lastSequence: first.sequence, chunkCount: 0, textBytes: 0 }
  for (const { sequence, bytes } of sizes) {
    if (extent.chunkCount > 0 && extent.textBytes + bytes > most.bytes) break
    extent.lastSequence = sequence
    extent.chunkCount += 1
    extent.textBytes += bytes
  }
  return extent
}

/** Chunk in an archive object, without the step and organization, which the row has. */
type Kept = Omit<StepLogChunkRow, 'organizationId' | 'stepExecutionId' | 'writtenAt'> & { writtenAt: string }

const keyOf = (seal: Seal, { organizationId, id, sealedKey }: ArchivedStepLogRow): Buffer =>
  seal.openBytes(createSealContext(sealedLogKeys, organizationId, id), sealedKey)

function closeStretch(seal: Seal, stretch: ArchivedStepLogRow, chunks: readonly StepLogChunkRow[]): Promise<Buffer> {
  const kept: Kept[] = chunks.map(({ sequence, attemptEpoch, writtenAt, text, offsets }) => ({
    sequence,
    attemptEpoch,
    text,
    offsets,
    writtenAt: writtenAt.toISOString(),
  }))
  return encryptArchiveObject(keyOf(seal, stretch), stretch.objectKey, JSON.stringify(kept))
}

export async function decryptLogSection(
  seal: Seal,
  stretch: ArchivedStepLogRow,
  parcel: Buffer,
): Promise<StepLogChunkRow[]> {
  const { organizationId, stepExecutionId, objectKey } = stretch
  const kept = JSON.parse(await decryptArchiveObject(keyOf(seal, stretch), objectKey, parcel)) as Kept[]
  return kept.map((chunk) => ({ ...chunk, organizationId, stepExecutionId, writtenAt: new Date(chunk.writtenAt) }))
}

/** Starts a periodic task that archives logs every `everyMs`. */
export function startArchiving(parts: ArchivingParts, everyMs = 10_000): PeriodicTask {
  const stopping = new AbortController()
  const rounds = startPeriodicTask(() => archiveLogs({ ...parts, stopping: stopping.signal }), {
    everyMs,
    onError: (err) => parts.log.warn({ err }, 'logs could not be moved to the archive; soon again'),
  })
  return {
    stop() {
      stopping.abort()
      return rounds.stop()
    },
  }
}

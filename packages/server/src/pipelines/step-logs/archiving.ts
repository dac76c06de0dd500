import type { Logger } from 'pino'
import type { Archive } from '../../platform/archive/archive.ts'
import { closeParcel, newParcelKey, openParcel } from '../../platform/archive/parcel.ts'
import { removeLeft } from '../../platform/archive/removals.ts'
import { placeIn } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { type Rounds, startRounds } from '../../platform/rounds.ts'
import type { StepLogChunkRow } from '../pipelines/tables.ts'
import { chunkSizes, chunksOf, claimStretch, noteStored, type StepOver, stepsOver } from './archive-store.ts'
import { type ArchivedStepLogRow, sealedLogKeys } from './tables.ts'

export type ArchivingParts = {
  /** Sees all organizations: the logs of any of them may be over. */
  db: Db
  archive: Archive
  archiveSeal: Seal
  clock: () => Date
  log: Logger
  stopping?: AbortSignal
}

/** What is read and written as one: whoever reads a page of a log opens one of these. */
const most = { chunks: 1_000, bytes: 4 * 1024 * 1024 }

/** A process has a stretch to itself for so long, which is more than the requests for it may take. */
const claimMs = 5 * 60_000

/** A runner that did not hear that its last chunk was taken sends it again, and is answered from the database. */
const settledMs = 60_000

/** Moves the logs of all steps that are over to the archive, and removes objects nobody needs; how many were moved. */
export async function archiveLogs(parts: ArchivingParts): Promise<number> {
  const by = new Date(parts.clock().getTime() - settledMs)
  let moved = 0
  let after = ''
  while (!parts.stopping?.aborted) {
    const { over, last } = await stepsOver(parts.db, { after, by })
    if (last === undefined) break
    for (const step of over) moved += await archiveStep(parts, step)
    after = last
  }
  await removeLeft(parts, parts.clock())
  return moved
}

async function archiveStep(parts: ArchivingParts, step: StepOver): Promise<number> {
  for (let moved = 0; ; moved += 1) {
    if (parts.stopping?.aborted || !(await archiveStretch(parts, step))) return moved
  }
}

/**
 * Moves the first stretch of what is left. Whoever is killed before the row says that it is stored leaves the chunks
 * where they are; the next writes the same object anew. Two that do it at once write the same.
 */
async function archiveStretch({ db, archive, archiveSeal, clock }: ArchivingParts, step: StepOver): Promise<boolean> {
  const extent = extentOf(await chunkSizes(db, step, most.chunks))
  if (!extent) return false
  const now = clock()
  const id = newId('asl')
  const stretch = await claimStretch(
    db,
    {
      id,
      organizationId: step.organizationId,
      stepExecutionId: step.id,
      ...extent,
      objectKey: `${step.organizationId}/step-logs/${step.id}/${extent.firstSequence}-${id}`,
      sealedKey: archiveSeal.closeBytes(placeIn(sealedLogKeys, step.organizationId, id), newParcelKey()),
      claimedUntil: new Date(now.getTime() + claimMs),
    },
    now,
  )
  const chunks = stretch && (await chunksOf(db, stretch))
  if (!chunks) return false
  await archive.put(stretch.objectKey, await closeStretch(archiveSeal, stretch, chunks))
  await noteStored(db, stretch, clock())
  return true
}

type Extent = Pick<ArchivedStepLogRow, 'firstSequence' | 'lastSequence' | 'chunkCount' | 'textBytes'>

/** As many chunks from the first on as fit, and one at least. */
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

/** A chunk in an object: its step and its organization are those of the row. */
type Kept = Omit<StepLogChunkRow, 'organizationId' | 'stepExecutionId' | 'writtenAt'> & { writtenAt: string }

const keyOf = (seal: Seal, { organizationId, id, sealedKey }: ArchivedStepLogRow): Buffer =>
  seal.openBytes(placeIn(sealedLogKeys, organizationId, id), sealedKey)

function closeStretch(seal: Seal, stretch: ArchivedStepLogRow, chunks: readonly StepLogChunkRow[]): Promise<Buffer> {
  const kept: Kept[] = chunks.map(({ sequence, attemptEpoch, writtenAt, text, offsets }) => ({
    ...{ sequence, attemptEpoch, text, offsets },
    writtenAt: writtenAt.toISOString(),
  }))
  return closeParcel(keyOf(seal, stretch), stretch.objectKey, JSON.stringify(kept))
}

export async function openStretch(seal: Seal, stretch: ArchivedStepLogRow, parcel: Buffer): Promise<StepLogChunkRow[]> {
  const { organizationId, stepExecutionId, objectKey } = stretch
  const kept = JSON.parse(await openParcel(keyOf(seal, stretch), objectKey, parcel)) as Kept[]
  return kept.map((chunk) => ({ ...chunk, organizationId, stepExecutionId, writtenAt: new Date(chunk.writtenAt) }))
}

/** Looks every `everyMs` until stopped for logs of steps that are over. */
export function startArchiving(parts: ArchivingParts, everyMs = 10_000): Rounds {
  const stopping = new AbortController()
  const rounds = startRounds(() => archiveLogs({ ...parts, stopping: stopping.signal }), {
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

import type { Logger } from 'pino'
import type { Archive } from '../../platform/archive/archive.ts'
import { decryptArchiveObject, encryptArchiveObject, newParcelKey } from '../../platform/archive/parcel.ts'
import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { type PeriodicTask, startPeriodicTask } from '../../platform/rounds.ts'
import {
  type Archived,
  archivableDeployments,
  dropUnstored,
  insertArchive,
  type ProjectReference,
  projectsAfter,
  recordStored,
} from './store.ts'
import { type DeploymentArchiveRow, sealedDeploymentKeys } from './tables.ts'

export type DeploymentArchivingParts = {
  /** Connection to all organizations, any of which may have old deployments. */
  db: Db
  archive: Archive
  archiveSeal: Seal
  /** Days between the end of a deployment and its archiving. */
  afterDays: number
  clock: () => Date
  log: Logger
  stopping?: AbortSignal
}

const dayMs = 24 * 3_600_000

/** Maximum size of an archive object. Reading a page of old deployments opens only a few of them. */
const most = { deployments: 100, textLength: 1024 * 1024 }

/**
 * Time after which an unfinished archive object is deleted, in milliseconds. Longer than a request for an object can
 * take.
 */
const maxUnstoredMs = 10 * 60_000

const projectsAtOnce = 200

/** Moves the large parts of old deployments that have a successor to the archive. Returns the number of deployments. */
export async function archiveDeployments(parts: DeploymentArchivingParts): Promise<number> {
  const { db, clock } = parts
  await dropUnstored(db, new Date(clock().getTime() - maxUnstoredMs))
  let moved = 0
  for (let after = ''; ; ) {
    const found = await projectsAfter(db, after, projectsAtOnce)
    const last = found.at(-1)
    if (!last) return moved
    for (const project of found) moved += await archiveProject(parts, project)
    after = last.projectId
  }
}

async function archiveProject(parts: DeploymentArchivingParts, project: ProjectReference): Promise<number> {
  const by = new Date(parts.clock().getTime() - parts.afterDays * dayMs)
  let moved = 0
  let after = new Date(0)
  while (!parts.stopping?.aborted) {
    const found = await archivableDeployments(parts.db, project, { by, after, count: most.deployments })
    const fitting = firstThatFit(found)
    const last = fitting.at(-1)
    if (!last?.completedAt) break
    await archiveTogether(parts, project, fitting)
    moved += fitting.length
    // Returns the remaining deployments that ended in the same millisecond. Excludes archived ones.
    after = new Date(last.completedAt.getTime() - 1)
  }
  return moved
}

/** Returns as many of the first deployments as fit into one object, at least one. */
function firstThatFit<D extends Archived>(found: readonly D[]): D[] {
  let length = 0
  const end = found.findIndex(({ data }, at) => {
    length += JSON.stringify(data).length
    return at > 0 && length > most.textLength
  })
  return end === -1 ? [...found] : found.slice(0, end)
}

/**
 * Writes the object first, then the rows. A crash in between leaves complete deployments and an unused row, which
 * `dropUnstored` deletes with its object. If two processes do it concurrently, each deployment uses only one of the two
 * objects.
 */
async function archiveTogether(
  { db, archive, archiveSeal, clock }: DeploymentArchivingParts,
  { organizationId, projectId }: ProjectReference,
  archived: readonly Archived[],
): Promise<void> {
  const id = newId('dpa')
  const row = await insertArchive(db, {
    id,
    organizationId,
    projectId,
    createdAt: clock(),
    objectKey: `${organizationId}/deployments/${id}`,
    sealedKey: archiveSeal.closeBytes(createSealContext(sealedDeploymentKeys, organizationId, id), newParcelKey()),
  })
  const kept = Object.fromEntries(archived.map(({ id, data }) => [id, data]))
  await archive.put(
    row.objectKey,
    await encryptArchiveObject(keyOf(archiveSeal, row), row.objectKey, JSON.stringify(kept)),
  )
  const ids = archived.map(({ id }) => id)
  await recordStored(db, row, ids, clock())
}

const keyOf = (seal: Seal, { organizationId, id, sealedKey }: DeploymentArchiveRow): Buffer =>
  seal.openBytes(createSealContext(sealedDeploymentKeys, organizationId, id), sealedKey)

/** Returns the large parts of the deployments in an archive object, by their ids. */
export async function openDeployments(
  seal: Seal,
  row: DeploymentArchiveRow,
  parcel: Buffer,
): Promise<Record<string, Archived['data']>> {
  return JSON.parse(await decryptArchiveObject(keyOf(seal, row), row.objectKey, parcel))
}

/** Starts a periodic task that archives old deployments every `everyMs`. */
export function startArchivingDeployments(parts: DeploymentArchivingParts, everyMs = 3_600_000): PeriodicTask {
  const stopping = new AbortController()
  const rounds = startPeriodicTask(() => archiveDeployments({ ...parts, stopping: stopping.signal }), {
    everyMs,
    onError: (err) => parts.log.warn({ err }, 'deployments could not be moved to the archive; within an hour again'),
  })
  return {
    stop() {
      stopping.abort()
      return rounds.stop()
    },
  }
}

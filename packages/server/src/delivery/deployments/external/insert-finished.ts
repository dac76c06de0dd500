import type { Author } from '../../../identity/audit-events/author.ts'
import { recordChange } from '../../../identity/audit-events/record.ts'
import type { Db } from '../../../platform/db/open.ts'
import { newId } from '../../../platform/ids.ts'
import { acceptanceChange } from '../create/accept.ts'
import { finish, later } from '../execution/state.ts'
import { insertDeployment, saveState } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { typeOf } from '../types/deployment-types.ts'
import type { FinishedRelease } from './finished-release.ts'

/** Owner and location of a deployment. */
export type DeploymentPlace = Pick<DeploymentRow, 'organizationId' | 'moduleInstanceId' | 'projectId' | 'environmentId'>

export type FinishedDeployment = {
  place: DeploymentPlace
  description: string
  ended: FinishedRelease
  /** When it was detected. */
  now: Date
  /** When it ended; the time of its detection if absent. */
  endedAt?: Date | undefined
}

/**
 * Stores a deployment for an external deployment that has ended, and returns its id. Must be called under the lock of
 * the instance's queue.
 */
export async function insertFinished(tx: Db, author: Author, wish: FinishedDeployment): Promise<string> {
  const { place, description, ended, now, endedAt = now } = wish
  const { release, externalDeploymentId, message, error } = ended
  const id = newId('dep')
  const kind = typeOf({ release })
  const beginning = kind.begin(release, { id, channel: 'SERVICE', triggeredBy: '' })
  const { triggeredBy: _, ...data } = beginning.data // the cloud does not report who started it
  const row = await insertDeployment(tx, {
    id,
    ...place,
    description,
    status: 'PENDING',
    deploymentType: release.type,
    triggerSource: 'EXTERNAL',
    inputs: {},
    ...beginning,
    release,
    data: { ...data, ...ended.data, detectedVia: 'POLL', initiationType: 'EXTERNAL' } as DeploymentRow['data'],
    ...(externalDeploymentId !== undefined && { externalDeploymentId }),
    createdAt: now,
    updatedAt: now,
    wakeAt: now,
    deadlineAt: later(now, 0),
    waitingFor: 'its end to be written down', // never visible outside of this transaction
  })
  await recordChange(tx, author, acceptanceChange(row))
  const noted = kind.note(kind.start(row, endedAt), error ? 'FAILED' : 'COMPLETED', endedAt, { message })
  await saveState(tx, row, finish(noted, error ? 'ERROR' : 'SUCCESS', endedAt, error))
  return id
}

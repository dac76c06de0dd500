import type { Db } from '../../platform/db/open.ts'
import type { Cloud, CloudAccount } from '../adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../adapter/cloud-call.ts'
import { digestOf, registerRunner, requireCluster } from '../adapter/ecs/runner-tasks.ts'
import { findCloudConnection } from '../cloud-accounts/connection.ts'
import type { RunnerKind } from '../facts/runner-tasks.ts'
import { type CloudPlace, cloudPlaceOf, type RunnerTaskSettings } from './machine.ts'
import { saveCheck, saveRegisteredTask } from './store.ts'
import type { ExecutionEnvironmentRow } from './tables.ts'

export type SetupParts = { cloud: Cloud; clock: () => Date } & RunnerTaskSettings

/** Checks whether steps can run in an environment, prepares it and records any problem. */
export async function checkSetup(
  parts: SetupParts,
  db: Db,
  row: ExecutionEnvironmentRow,
): Promise<ExecutionEnvironmentRow> {
  if (row.kind !== 'cloud') return row
  const problem = await problemOf(parts, db, row)
  const readyAt = row.readyAt ?? (problem === undefined ? parts.clock() : null)
  return (await saveCheck(db, row, { problem: problem ?? null, readyAt })) ?? row
}

async function problemOf(parts: SetupParts, db: Db, row: ExecutionEnvironmentRow): Promise<string | undefined> {
  const place = cloudPlaceOf(row, parts)
  if ('problem' in place) return place.problem
  const account = await findCloudConnection(db, row.organizationId, place.cloudAccountId)
  if (!account) return notConnected(place)
  try {
    const { ecs } = parts.cloud.clientsFor(account, place.region)
    await requireCluster(ecs, place.clusterName)
    await registeredTask(parts, db, row, { place, account })
    return undefined
  } catch (error) {
    if (error instanceof CloudPermanentError) return `The cloud says: ${error.reason}: ${error.message}`
    if (error instanceof CloudTransientError) return `The cloud could not be reached: ${error.message}`
    throw error
  }
}

export const notConnected = ({ cloudAccountId }: CloudPlace): string =>
  `Its cloud account ${cloudAccountId} is not connected: connect it, then check again.`

/** Returns the task definition or build project for runners, registering it if it is missing or outdated. */
export async function registeredTask(
  { cloud }: Pick<SetupParts, 'cloud'>,
  db: Db,
  row: ExecutionEnvironmentRow,
  { place, account }: { place: CloudPlace; account: CloudAccount },
): Promise<string> {
  const { region, clusterName, image, size } = place
  const { roleArn } = account
  const kind: RunnerKind = { place: { roleArn, region, clusterName }, environmentId: row.id, image, size }
  const digest = digestOf(kind)
  if (row.registeredTask?.digest === digest) return row.registeredTask.arn
  const arn = await registerRunner(cloud.clientsFor(account, region).ecs, kind)
  await saveRegisteredTask(db, row, { arn, digest })
  return arn
}

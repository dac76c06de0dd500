import type { Cloud, CloudClients } from '../../cloud/adapter/access.ts'
import { ensureProject } from '../../cloud/adapter/build-service.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import { cloudPlaceOf, type RunnerTaskSettings } from '../../cloud/execution-environments/machine.ts'
import { notConnected, registeredTask } from '../../cloud/execution-environments/setup.ts'
import { findExecutionEnvironment } from '../../cloud/execution-environments/store.ts'
import { computeTypeOf, defaultComputeType, noSuchSize } from '../../cloud/facts/build-service.ts'
import { namesIn } from '../../cloud/facts/runner-tasks.ts'
import { hashOf } from '../../platform/auth/token.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { buildServiceRequirements } from '../builds/order.ts'
import { findCurrentStep, saveAttempt } from '../runner/claim.ts'
import {
  decideObserved,
  decideUnstarted,
  onStartRejected,
  type RunnerTaskDecision,
  type TaskSituation,
} from './machine.ts'
import { type Starting, startingBuild, startingTask, type TaskResource, taskResourceAt } from './resources.ts'
import { saveTask } from './store.ts'
import type { RunnerTaskRow } from './tables.ts'
import type { TaskTokens } from './tokens.ts'

export type TaskParts = { db: Db; cloud: Cloud; seal: Seal; taskTokens: TaskTokens } & RunnerTaskSettings

/**
 * Executes the next action for a task. If the cloud rejects its start, the attempt ends; other errors are thrown.
 * Returns undefined if the row changed concurrently.
 */
export async function executeTaskAction(
  parts: TaskParts,
  stand: TaskSituation,
): Promise<RunnerTaskDecision | undefined> {
  const { task } = stand
  try {
    return task.status === 'STARTING' ? await start(parts, stand) : await follow(parts, stand, task)
  } catch (error) {
    if (error instanceof CloudPermanentError && task.status === 'STARTING')
      return onStartRejected(stand, `${error.reason}: ${error.message}`)
    throw error
  }
}

async function start(parts: TaskParts, stand: TaskSituation): Promise<RunnerTaskDecision | undefined> {
  const { task } = stand
  // An earlier attempt to start it may have succeeded.
  const there = task.place && (await (await carrierOf(parts, task, task.place)).find())
  if (there) return started(parts, stand, task, there)
  const decision = decideUnstarted(stand)
  if (decision !== 'start') return decision
  const prepared = await prepare(parts, task)
  if ('problem' in prepared) return onStartRejected(stand, prepared.problem)
  const { starting, url, clients } = prepared
  const token = parts.taskTokens.launch(task.id)
  // The key may have been rotated since the task was created.
  const noted = await saveTask(parts.db, { ...task, place: starting.place, tokenHash: hashOf(token) })
  if (!noted) return undefined
  const env = { SLUICE_URL: url, SLUICE_RUNNER_TOKEN: token }
  return started(parts, stand, noted, await starting.start(clients, { name: task.id, env }))
}

async function started(
  parts: TaskParts,
  { task: { organizationId, stepExecutionId: id, attemptEpoch } }: TaskSituation,
  task: RunnerTaskRow,
  taskArn: string,
): Promise<RunnerTaskDecision> {
  if (task.place) {
    const { cloudAccountId, region, logGroupName } = task.place
    const { logStreamOf } = await carrierOf(parts, task, task.place)
    const logs = { cloudAccountId, logGroupName, logStreamPrefix: logStreamOf(taskArn), region }
    await saveAttempt(parts.db, { organizationId, id, attemptEpoch }, { logs, statusDetail: null })
  }
  return { next: { ...task, status: 'STARTED', taskArn, trouble: null, idleLooks: 0 } }
}

type Prepared = { starting: Starting; url: string; clients: CloudClients }

/** Returns the parameters of a task by the current execution environment, or a message about what is missing. */
async function prepare(parts: TaskParts, task: RunnerTaskRow): Promise<Prepared | { problem: string }> {
  const { db, cloud } = parts
  const { organizationId, executionEnvironmentId } = task
  const row = await findExecutionEnvironment(db, organizationId, executionEnvironmentId)
  if (!row) return { problem: `The execution environment ${executionEnvironmentId} no longer exists.` }
  const found = cloudPlaceOf(row, parts)
  if ('problem' in found) return found
  const account = await findCloudConnection(db, organizationId, found.cloudAccountId)
  if (!account) return { problem: notConnected(found) }
  const { cloudAccountId, region, clusterName, network, image, url } = found
  const clients = cloud.clientsFor(account, region)
  const place = { roleArn: account.roleArn, region, clusterName }
  const { logGroupName } = namesIn(place)
  const inAccount = { cloudAccountId, region, logGroupName }
  const wish = await buildWish(parts, task)
  if (!wish) {
    const taskDefinitionArn = await registeredTask(parts, db, row, { place: found, account })
    return { starting: startingTask({ ...inAccount, clusterName, taskDefinitionArn }, network), url, clients }
  }
  const { size } = wish
  const computeType = size === undefined ? defaultComputeType : computeTypeOf(size)
  if (computeType === undefined) return { problem: noSuchSize(size ?? '') }
  const projectName = await ensureProject(clients, { place, environmentId: row.id, image, network })
  return { starting: startingBuild({ ...inAccount, projectName }, computeType), url, clients }
}

/** Returns the requirements for the build service; undefined if the attempt runs as an ECS task. */
async function buildWish(parts: TaskParts, task: RunnerTaskRow): Promise<{ size: string | undefined } | undefined> {
  const { organizationId, stepExecutionId: id, attemptEpoch } = task
  const step = await findCurrentStep(parts.db, { organizationId, id, attemptEpoch })
  return step?.stepType === 'build' ? buildServiceRequirements(parts, step) : undefined
}

/** Polls the task, and stops it if it must end. */
async function follow(parts: TaskParts, stand: TaskSituation, task: RunnerTaskRow): Promise<RunnerTaskDecision> {
  const { place, taskArn } = task
  if (!place || taskArn === null) throw new Error(`the task ${task.id} was started, and it is not known where`)
  const carrier = await carrierOf(parts, task, place)
  const decision = decideObserved(stand, await carrier.see(taskArn))
  if (decision.stop !== undefined) await carrier.stop(taskArn, decision.stop)
  return decision
}

/**
 * Returns the operations for the task.
 * @throws {CloudTransientError} while the account is not connected, because it may be connected again
 */
async function carrierOf(
  { db, cloud }: TaskParts,
  task: RunnerTaskRow,
  place: NonNullable<RunnerTaskRow['place']>,
): Promise<TaskResource> {
  const account = await findCloudConnection(db, task.organizationId, place.cloudAccountId)
  if (account) return taskResourceAt(cloud.clientsFor(account, place.region), place, task)
  throw new CloudTransientError(`The cloud account ${place.cloudAccountId} is not connected.`)
}

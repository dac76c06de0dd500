import type { Cloud, CloudAccount, CloudClients } from '../../cloud/adapter/access.ts'
import { CloudRefusal, CloudTrouble } from '../../cloud/adapter/answer.ts'
import { startRunner } from '../../cloud/adapter/ecs-runner-tasks.ts'
import { findTask, readCommand, stopCommand } from '../../cloud/adapter/ecs-tasks.ts'
import { endOfStream } from '../../cloud/adapter/task-logs.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import { placeOf, type RunnerTaskSettings } from '../../cloud/execution-environments/machine.ts'
import { notConnected, registeredTask } from '../../cloud/execution-environments/setup.ts'
import { findExecutionEnvironment } from '../../cloud/execution-environments/store.ts'
import { logStreamPrefixOf, namesIn, runnerContainer } from '../../cloud/facts/runner-tasks.ts'
import { hashOf } from '../../platform/auth/token.ts'
import type { Db } from '../../platform/db/open.ts'
import { noteAttempt } from '../runner/claim.ts'
import type { Seen } from './failures.ts'
import { type Decision, observed, refused, type TaskStand, unstarted } from './machine.ts'
import { saveTask } from './store.ts'
import type { RunnerTaskRow, TaskPlace } from './tables.ts'
import type { TaskTokens } from './tokens.ts'

export type CarryOutParts = { db: Db; cloud: Cloud; taskTokens: TaskTokens } & RunnerTaskSettings

/**
 * Does what can be done now for a task. What the cloud will not start ends the attempt; its other refusals and its
 * troubles are thrown. Undefined where the row has moved meanwhile.
 */
export async function carryOut(parts: CarryOutParts, stand: TaskStand): Promise<Decision | undefined> {
  const { task } = stand
  try {
    return task.status === 'STARTING' ? await start(parts, stand) : await follow(parts, stand, task)
  } catch (error) {
    if (error instanceof CloudRefusal && task.status === 'STARTING')
      return refused(stand, `${error.reason}: ${error.message}`)
    throw error
  }
}

async function start(parts: CarryOutParts, stand: TaskStand): Promise<Decision | undefined> {
  const { task } = stand
  // An attempt before this one may have been heard.
  const there = task.place && (await find(parts, task, task.place))
  if (there) return started(parts, stand, task, there)
  const decision = unstarted(stand)
  if (decision !== 'start') return decision
  const prepared = await prepare(parts, task)
  if ('problem' in prepared) return refused(stand, prepared.problem)
  const { place, network, url, account } = prepared
  const token = parts.taskTokens.launch(task.id)
  // The key may have been rotated since the task was begun.
  const noted = await saveTask(parts.db, { ...task, place, tokenHash: hashOf(token) })
  if (!noted) return undefined
  const { ecs } = parts.cloud.clientsFor(account, place.region)
  const { clusterName, taskDefinitionArn } = place
  const env = { SLUICE_URL: url, SLUICE_RUNNER_TOKEN: token }
  const taskArn = await startRunner(ecs, { clusterName, taskDefinitionArn, network, name: task.id, env })
  return started(parts, stand, noted, taskArn)
}

async function started(
  { db }: CarryOutParts,
  { task: { organizationId, stepExecutionId: id, attemptEpoch } }: TaskStand,
  task: RunnerTaskRow,
  taskArn: string,
): Promise<Decision> {
  if (task.place) {
    const { cloudAccountId, region, logGroupName } = task.place
    const logs = { cloudAccountId, logGroupName, logStreamPrefix: logStreamPrefixOf(taskArn), region }
    await noteAttempt(db, { organizationId, id, attemptEpoch }, { logs, statusDetail: null })
  }
  return { next: { ...task, status: 'STARTED', taskArn, trouble: null, idleLooks: 0 } }
}

/** All that a task is started with, by what the execution environment says now; or in words what is missing. */
async function prepare({ db, ...parts }: CarryOutParts, { organizationId, executionEnvironmentId }: RunnerTaskRow) {
  const row = await findExecutionEnvironment(db, organizationId, executionEnvironmentId)
  if (!row) return { problem: `There is no execution environment ${executionEnvironmentId} any more.` }
  const found = placeOf(row, parts)
  if ('problem' in found) return found
  const account = await findCloudConnection(db, organizationId, found.cloudAccountId)
  if (!account) return { problem: notConnected(found) }
  const taskDefinitionArn = await registeredTask(parts, db, row, { place: found, account })
  const { cloudAccountId, region, clusterName, network, url } = found
  const { logGroupName } = namesIn({ roleArn: account.roleArn, region, clusterName })
  const place: TaskPlace = { cloudAccountId, region, clusterName, taskDefinitionArn, logGroupName }
  return { place, network, url, account }
}

async function find(parts: CarryOutParts, task: RunnerTaskRow, place: TaskPlace): Promise<string | undefined> {
  const { clusterName: cluster, taskDefinitionArn } = place
  const { ecs } = (await clientsAt(parts, task, place)).clients
  return findTask(ecs, { cluster, taskDefinitionArn, startedBy: task.id })
}

/** Looks at the task, and stops it where it is to end. */
async function follow(
  parts: CarryOutParts,
  stand: TaskStand,
  { place, taskArn, organizationId }: RunnerTaskRow,
): Promise<Decision> {
  if (!place || taskArn === null) throw new Error(`the task ${stand.task.id} was started, and it is not known where`)
  const { clients } = await clientsAt(parts, { organizationId }, place)
  const decision = observed(stand, await see(clients, place, taskArn))
  if (decision.stop !== undefined) {
    await stopCommand(clients.ecs, { clusterArn: place.clusterName }, taskArn, decision.stop)
  }
  return decision
}

async function see({ ecs, logs }: CloudClients, place: TaskPlace, taskArn: string): Promise<Seen | undefined> {
  const seen = await readCommand(ecs, { clusterArn: place.clusterName }, taskArn, runnerContainer)
  if (!seen?.hasEnded) return seen
  const stream = { logGroupName: place.logGroupName, logStreamName: logStreamPrefixOf(taskArn) }
  return { ...seen, log: await endOfStream(logs, stream) }
}

/** @throws {CloudTrouble} while the account is not connected: it may be again */
async function clientsAt(
  { db, cloud }: CarryOutParts,
  { organizationId }: Pick<RunnerTaskRow, 'organizationId'>,
  { cloudAccountId, region }: TaskPlace,
): Promise<{ account: CloudAccount; clients: CloudClients }> {
  const account = await findCloudConnection(db, organizationId, cloudAccountId)
  if (account) return { account, clients: cloud.clientsFor(account, region) }
  throw new CloudTrouble(`The cloud account ${cloudAccountId} is not connected.`)
}

import { failures, type UserFacingError } from '@sluice/contract'
import type { Logger } from 'pino'
import type { Cloud, CloudClients } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { readEc2Twin } from '../../cloud/adapter/twin/ec2.ts'
import { readEcsTwin } from '../../cloud/adapter/twin/ecs.ts'
import { readLambdaTwin } from '../../cloud/adapter/twin/lambda.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { createStartChecks } from '../deployment-checks/ecs/check-start.ts'
import { later, type PollPace } from '../deployments/execution/state.ts'
import { documentNameOf, releaseParameterOf } from '../deployments/types/ec2/release.ts'
import type { EcsRelease } from '../deployments/types/ecs/release.ts'
import { isRehearsable, type RehearsableRelease, type RehearsedChange } from './job.ts'
import { RehearsalProgramError, runProgram } from './program.ts'
import { finishRehearsal, leaseRehearsal, postponeRehearsal, type RehearsalEnd } from './store.ts'
import type { RehearsalRow } from './tables.ts'

export type RunParts = {
  cloud: Cloud
  clock: Clock
  pace: PollPace
  log: Logger
  /** Called after the result of a rehearsal was stored. */
  onFinished?: (row: RehearsalRow) => void
}

/** Duration of a lease in real milliseconds: longer than reading the account and running the program can take. */
const leaseMs = 180_000
/** Retry delay after a transient error of the cloud, in real milliseconds. */
const retryMs = 15_000
const maxAttempts = 3

/** Runs a rehearsal that no other worker runs, and stores its result. */
export async function runRehearsal(parts: RunParts, db: Db, id: string, signal: AbortSignal): Promise<void> {
  const { clock, log } = parts
  const now = clock.now()
  const row = await leaseRehearsal(db, id, now, later(now, clock.elapsedMs(leaseMs)))
  if (!row) return
  if (row.attempts > maxAttempts) {
    const error = failed(`Sluice began it ${maxAttempts} times and never came to its end.`)
    return finish(parts, db, row, { status: 'ERROR', error })
  }
  try {
    await finish(parts, db, row, await rehearse(parts, db, row, signal))
  } catch (error) {
    if (signal.aborted) return // another worker repeats it when the lease has expired
    if (!(error instanceof CloudTransientError) && !(error instanceof RehearsalProgramError)) throw error
    log.info({ rehearsal: id, err: error, output: error.cause }, 'the rehearsal is begun again')
    if (row.attempts < maxAttempts) {
      return postponeRehearsal(db, row, later(clock.now(), clock.elapsedMs(retryMs)))
    }
    await finish(parts, db, row, { status: 'ERROR', error: failed(error.message) })
  }
}

async function finish({ clock, onFinished }: RunParts, db: Db, row: RehearsalRow, end: RehearsalEnd): Promise<void> {
  await finishRehearsal(db, row, end, clock.now())
  onFinished?.(row)
}

async function rehearse(parts: RunParts, db: Db, row: RehearsalRow, signal: AbortSignal): Promise<RehearsalEnd> {
  const { id: rehearsalId, organizationId, moduleInstanceId, release, scenarioNames: scenarios } = row
  if (!release || !isRehearsable(release))
    throw new Error(`the rehearsal ${rehearsalId} has no release that can be rehearsed`)
  const account = await findCloudConnection(db, organizationId, release.cloudAccountId)
  if (!account) {
    const message = `The cloud account ${release.cloudAccountId} is not connected. Connect it, then rehearse again.`
    return { status: 'ERROR', error: failed(message) }
  }
  try {
    const clients = parts.cloud.clientsFor(account, release.region)
    const change = await readChange(parts, clients, release)
    const job = { rehearsalId, organizationId, moduleInstanceId, ...change, pace: parts.pace, scenarios }
    return { status: 'SUCCESS', ...(await runProgram(job, signal)) }
  } catch (error) {
    if (!(error instanceof CloudPermanentError)) throw error
    const message = `The service cannot be copied: ${error.reason}: ${error.message} Give the connected role read access.`
    return { status: 'ERROR', error: failed(message) }
  }
}

/** Copies what the release changes. */
async function readChange(
  { clock, log }: RunParts,
  clients: CloudClients,
  release: RehearsableRelease,
): Promise<RehearsedChange> {
  const now = clock.now()
  if (release.type === 'cloud:ec2') {
    const { region, autoScalingGroupName } = release
    const documentName = documentNameOf(release)
    const request = { region, autoScalingGroupName, documentName, releaseParameterName: releaseParameterOf(release) }
    return { type: release.type, release, twin: await readEc2Twin(clients, request, now) }
  }
  if (release.type === 'cloud:lambda') {
    return { type: release.type, release, twin: await readLambdaTwin(clients, release, now) }
  }
  const [twin, startChecks] = await Promise.all([
    readEcsTwin(clients, { release, ...definitionOf(release) }, now),
    createStartChecks(log)(clients, release, now),
  ])
  return { type: release.type, release, twin, startChecks }
}

function definitionOf({ taskDefinition }: EcsRelease) {
  if ('register' in taskDefinition) return { definition: taskDefinition.register }
  const { arn, register = {} } = taskDefinition.reuse
  return { definition: register, ...present({ reusedArn: arn }) }
}

const failed = (message: string): UserFacingError => ({ code: failures.rehearsalFailed.code, message })

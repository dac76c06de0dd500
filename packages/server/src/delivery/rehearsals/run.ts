import { type DeploymentData, failures, type UserFacingError } from '@sluice/contract'
import type { Logger } from 'pino'
import type { Cloud, CloudClients } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { readEc2Twin } from '../../cloud/adapter/twin/ec2.ts'
import { readEcsTwin } from '../../cloud/adapter/twin/ecs.ts'
import { readLambdaTwin } from '../../cloud/adapter/twin/lambda.ts'
import { readStaticTwin } from '../../cloud/adapter/twin/static.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { createStartChecks } from '../deployment-checks/ecs/check-start.ts'
import type { PastReleases } from '../deployments/execution/outcome.ts'
import { pastReleasesIn } from '../deployments/execution/past-releases.ts'
import { later, type PollPace } from '../deployments/execution/state.ts'
import { findDeployment, readQueue } from '../deployments/store/store.ts'
import { typeOf } from '../deployments/types/deployment-types.ts'
import { documentNameOf, releaseParameterOf } from '../deployments/types/ec2/release.ts'
import type { EcsRelease } from '../deployments/types/ecs/release.ts'
import type { Release } from '../deployments/types/release.ts'
import { addExtraCost, type FindPrice, type PricedResource } from './extra-cost.ts'
import type { RehearsedChange } from './job.ts'
import { RehearsalProgramError, runProgram } from './program.ts'
import { requestedScenarios } from './scenarios.ts'
import { finishRehearsal, leaseRehearsal, postponeRehearsal, type RehearsalEnd, renewLease } from './store.ts'
import type { RehearsalRow } from './tables.ts'

export type RunParts = {
  cloud: Cloud
  clock: Clock
  pace: PollPace
  log: Logger
  findPrice: FindPrice
  /** Called after the result of a rehearsal was stored. */
  onFinished?: (row: RehearsalRow) => void
}

/** Duration of a lease in real milliseconds. It is renewed while the worker lives. */
const leaseMs = 30_000
/** Interval of renewals in real milliseconds: two can fail before another worker takes over. */
const renewMs = 10_000
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
    await finish(parts, db, row, await keepLease(parts, db, row, () => rehearse(parts, db, row, signal)))
  } catch (error) {
    if (signal.aborted) return // another worker repeats it when the lease has expired
    if (!(error instanceof CloudTransientError) && !(error instanceof RehearsalProgramError)) throw error
    log.info({ rehearsal: id, err: error, output: error.cause }, 'an attempt of the rehearsal failed')
    const isRetryable = error instanceof CloudTransientError || error.isRetryable
    if (isRetryable && row.attempts < maxAttempts) {
      return postponeRehearsal(db, row, later(clock.now(), clock.elapsedMs(retryMs)))
    }
    await finish(parts, db, row, { status: 'ERROR', error: failed(error.message) })
  }
}

/** Renews the lease of a rehearsal until the work ends. */
async function keepLease<T>({ clock, log }: RunParts, db: Db, row: RehearsalRow, work: () => Promise<T>): Promise<T> {
  const renewal = setInterval(() => {
    renewLease(db, row, later(clock.now(), clock.elapsedMs(leaseMs))).catch((error: unknown) =>
      log.info({ rehearsal: row.id, err: error }, 'the lease of a rehearsal was not renewed'),
    )
  }, renewMs)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
  }
}

async function finish({ clock, onFinished }: RunParts, db: Db, row: RehearsalRow, end: RehearsalEnd): Promise<void> {
  await finishRehearsal(db, row, end, clock.now())
  onFinished?.(row)
}

async function rehearse(parts: RunParts, db: Db, row: RehearsalRow, signal: AbortSignal): Promise<RehearsalEnd> {
  const { id: rehearsalId, organizationId, moduleInstanceId, release } = row
  if (!release) throw new Error(`the rehearsal ${rehearsalId} has no release`)
  const account = await findCloudConnection(db, organizationId, release.cloudAccountId)
  if (!account) {
    const message = `The cloud account ${release.cloudAccountId} is not connected. Connect it, then rehearse again.`
    return { status: 'ERROR', error: failed(message) }
  }
  try {
    const clients = parts.cloud.clientsFor(account, release.region)
    const { clock, log, pace } = parts
    const isRollback = row.rollbackToDeploymentId !== null
    const known = await readKnown(db, row)
    const read = { now: clock.now(), log, pastReleases: pastReleasesIn(db), organizationId, known }
    const change = await readChange(clients, release, read)
    change.twin.assumptions.push(...(await assumeWhatIsInProgress(db, moduleInstanceId)))
    const scenarios = requestedScenarios(row)
    const job = { rehearsalId, organizationId, moduleInstanceId, ...change, isRollback, known, pace, scenarios }
    const { scenarios: rehearsed, assumptions } = await runProgram(job, signal)
    const findPrice = (resource: PricedResource) => parts.findPrice(db, organizationId, resource)
    return { status: 'SUCCESS', scenarios: await addExtraCost(rehearsed, change, findPrice), assumptions }
  } catch (error) {
    if (!(error instanceof CloudPermanentError)) throw error
    const isDenied = /AccessDenied|NotAuthorized|Unauthorized/.test(error.reason)
    const hint = isDenied ? ' Give the connected role read access.' : ''
    const message = `What the release changes cannot be copied: ${error.reason}: ${error.message}${hint}`
    return { status: 'ERROR', error: failed(message) }
  }
}

type Known = Partial<DeploymentData>

/** Returns the data of a rollback that is known from the start, as when it is accepted. */
async function readKnown(db: Db, { organizationId, rollbackToDeploymentId: id }: RehearsalRow): Promise<Known> {
  if (id === null) return {}
  const to = await findDeployment(db, organizationId, id)
  if (!to) throw new CloudPermanentError('NotFound', `The deployment ${id} was deleted.`)
  return typeOf(to).replay(to, 'rollback').known
}

async function assumeWhatIsInProgress(db: Db, moduleInstanceId: string): Promise<string[]> {
  const { active } = await readQueue(db, moduleInstanceId)
  return active
    ? [`The deployment ${active.id} was in progress. The rehearsal starts from what ran at that moment.`]
    : []
}

type ReadParts = { now: Date; log: Logger; pastReleases: PastReleases; organizationId: string; known: Known }

/** Copies what the release changes. */
async function readChange(clients: CloudClients, release: Release, parts: ReadParts): Promise<RehearsedChange> {
  const { now, log, pastReleases, organizationId, known } = parts
  switch (release.type) {
    case 'cloud:ecs': {
      const [twin, startChecks] = await Promise.all([
        readEcsTwin(clients, { release, ...definitionOf(release, known) }, now),
        createStartChecks(log)(clients, release, now),
      ])
      return { type: release.type, release, twin, startChecks }
    }
    case 'cloud:ec2': {
      const { region, autoScalingGroupName } = release
      const documentName = documentNameOf(release)
      const request = { region, autoScalingGroupName, documentName, releaseParameterName: releaseParameterOf(release) }
      return { type: release.type, release, twin: await readEc2Twin(clients, request, now) }
    }
    case 'cloud:lambda':
      return { type: release.type, release, twin: await readLambdaTwin(clients, release, now) }
    case 'cloud:static': {
      const [twin, past] = await Promise.all([
        readStaticTwin(clients, release, now),
        pastReleases.listSiteReleases(organizationId, release.bucket),
      ])
      return { type: release.type, release, twin, pastReleases: past }
    }
  }
}

function definitionOf({ taskDefinition }: EcsRelease, known: Known) {
  if ('register' in taskDefinition) return { definition: taskDefinition.register }
  const { arn, register = {} } = taskDefinition.reuse
  const recorded = 'deployedTaskDefinition' in known ? known.deployedTaskDefinition?.definition : undefined
  return { definition: recorded ?? register, ...present({ reusedArn: arn }) }
}

const failed = (message: string): UserFacingError => ({ code: failures.rehearsalFailed.code, message })

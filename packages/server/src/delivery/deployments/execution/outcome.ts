import type { Logger } from 'pino'
import type { Cloud, CloudAccount } from '../../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError, readOptional } from '../../../cloud/adapter/cloud-call.ts'
import { withLastCheck } from '../../../cloud/adapter/last-check.ts'
import type { Measure } from '../analysis/measure.ts'
import type { DeploymentRow } from '../store/tables.ts'
import type { CloudAction } from '../types/deployment-type.ts'
import { typeOf } from '../types/deployment-types.ts'
import type { FunctionRelease } from '../types/lambda/release.ts'
import type { SiteRelease } from '../types/static/retention.ts'
import { recordAnswer, retryLater } from './attempts.ts'
import type { CrowdInterval } from './crowds.ts'
import { type ActionContext, type CheckStart, executors } from './execute.ts'
import type { GrantRepositoryAccess } from './repository-access.ts'
import { continueNow, type DeploymentState, type PollPace } from './state.ts'

/** Dependencies of executing an action in the cloud. */
export type OutcomeParts = {
  cloud: Pick<Cloud, 'clientsFor'>
  pace: Omit<PollPace, 'crowdMs'>
  crowdMs: CrowdInterval
  clock: () => Date
  measure: Measure
  lendAccess: GrantRepositoryAccess
  checkStart: CheckStart
  findMissingParts: ActionContext['findMissingParts']
  log: Pick<Logger, 'debug' | 'info'>
}

/** Queries for what an organization released to the same resource, oldest first: see `ActionContext`. */
export type PastReleases = {
  listSiteReleases: (organizationId: string, bucket: string) => Promise<SiteRelease[]>
  listFunctionReleases: (organizationId: string, functionArn: string) => Promise<FunctionRelease[]>
}

/** Deployment state with the deployment's instance and organization. */
type OwnedState = DeploymentState & Pick<DeploymentRow, 'organizationId' | 'moduleInstanceId'>

/** Deployment as read for one step. */
export type DeploymentRead<Row = OwnedState> = {
  row: Row
  account: CloudAccount | undefined
  isTold: boolean
  /** When the read or the write started, on the clock of `performance`: the row is at least this recent. */
  readAt: number
}

/**
 * Maximum age of a row when a request that changes the cloud is sent, in milliseconds. After that, another worker may
 * have adopted the deployment, because the process was suspended or the database was slow.
 */
const maxRowAgeMs = 15_000

/**
 * Executes an action in the cloud and returns the state of the deployment after it. `before` is the state before the
 * attempt was recorded.
 */
export async function outcomeOf(
  parts: OutcomeParts & PastReleases,
  { row, account, isTold, readAt }: DeploymentRead,
  before: DeploymentState,
  action: CloudAction,
): Promise<DeploymentState> {
  const { cloud, clock, measure, log } = parts
  const pace = { ...parts.pace, crowdMs: parts.crowdMs(row.organizationId) }
  const kind = typeOf(row)
  let isSent = false
  const beforeSend = () => {
    isSent = true
  }
  const isFresh = () => {
    if (performance.now() - readAt <= maxRowAgeMs) return
    throw new CloudTransientError('this process stood still; looking again', { isAnswered: true })
  }
  try {
    if (!account)
      throw new CloudPermanentError('NotConnected', `Cloud account ${row.release.cloudAccountId} is not connected.`)
    const clients = cloud.clientsFor(account, row.release.region)
    const carryOut = executors[kind.type]
    const { organizationId, moduleInstanceId } = row
    const situation = {
      moduleInstanceId,
      clients,
      pace,
      isTold,
      clock,
      measure,
      beforeSend,
      forShow: <T>(read: () => Promise<T>) =>
        readOptional(read, (reason) => log.info({ deployment: row.id, reason }, 'not shown for now')),
      siteReleases: (bucket: string) => parts.listSiteReleases(organizationId, bucket),
      functionReleases: (functionArn: string) => parts.listFunctionReleases(organizationId, functionArn),
      lendAccess: (repository: string) => parts.lendAccess(organizationId, repository),
      checkStart: parts.checkStart,
      findMissingParts: parts.findMissingParts,
    }
    const next = await withLastCheck(isFresh, () => carryOut(action, row, situation))
    return measureNextIfDue(next, clock())
  } catch (error) {
    if (error instanceof CloudTransientError) {
      log.debug({ deployment: row.id, action: action.do, err: error }, 'the cloud is in trouble')
      // A read of the cloud says nothing about a request that was sent before it.
      const isOver = kind.changesCloud(action) && !(isSent && !error.isAnswered)
      return retryLater<DeploymentState>(
        isOver ? recordAnswer<DeploymentState>(row, before) : row,
        error.message,
        pace,
        clock(),
      )
    }
    if (error instanceof CloudPermanentError) {
      log.info({ deployment: row.id, action: action.do, reason: error.reason }, 'the cloud refused')
      return kind.onRejected(row, { name: error.reason, message: error.message }, action, pace, clock())
    }
    throw error
  }
}

/**
 * Takes measurements that became due during this poll at once. The poll schedules its wake-up at its end, so that such
 * measurements would otherwise be missed until the pause ends.
 */
const measureNextIfDue = (next: DeploymentState, now: Date): DeploymentState =>
  typeOf(next).nextAction(next, now).do === 'measure' ? continueNow(next, now, 'its checks to be measured') : next

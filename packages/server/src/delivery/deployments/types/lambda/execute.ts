import {
  deleteVersion,
  findVersion,
  hashOfCode,
  moveAlias,
  publishVersion,
  readAlias,
  readVersion,
  updateCode,
} from '../../../../cloud/adapter/lambda/functions.ts'
import { lastLinesOfVersion } from '../../../../cloud/adapter/lambda/logs.ts'
import { readSharing } from '../../../../cloud/adapter/lambda/sharing.ts'
import { forVersion } from '../../analysis/spec.ts'
import { measuredSince } from '../../analysis/state.ts'
import type { ActionContext } from '../../execution/execute.ts'
import { applyMeasurements, withAnalyses } from './analysis.ts'
import { withLogLines } from './failures.ts'
import {
  isBusy,
  type LambdaCloudAction,
  latestBefore,
  onCodeAccepted,
  onCodeChanged,
  onCodeRejected,
  onCodeUnchanged,
  onInspected,
  onPrepared,
  onPublished,
  onUpdateObserved,
  onVersionObserved,
  recordExpectedCode,
  waitWhileBusy,
} from './machine.ts'
import { codeToPublish, type LambdaRelease } from './release.ts'
import { nextToRemove, onVersionRemoved, selectVersionsToRemove } from './retention.ts'
import { usesWeightedRouting } from './sharing.ts'
import {
  aliasOf,
  endIfUnchanged,
  endUnmoved,
  nextRouting,
  onRestored,
  onRestoreRejected,
  onShifted,
  onShiftRejected,
  proceed,
  routingBefore,
  versionOf,
} from './shifts.ts'
import type { LambdaState } from './state.ts'
import { mayHaveMoved } from './transitions.ts'

/**
 * Executes one action in the cloud and returns the state of the deployment after it.
 * @throws errors of the cloud, permanent and transient
 */
export async function executeLambdaAction(
  action: LambdaCloudAction,
  deployment: LambdaState,
  situation: ActionContext,
): Promise<LambdaState> {
  return withAnalyses(await take(action, deployment, situation), situation.clock())
}

async function take(
  action: LambdaCloudAction,
  deployment: LambdaState,
  situation: ActionContext,
): Promise<LambdaState> {
  const { clients, pace, clock } = situation
  const { release } = deployment
  switch (action.do) {
    case 'prepare':
      return prepare(deployment, situation)
    case 'inspect':
      return onInspected(deployment, await readVersion(clients.lambda, release), pace, clock())
    case 'code':
      return giveCode(deployment, situation)
    case 'find':
      return findCode(deployment, situation)
    case 'settle':
      return onUpdateObserved(deployment, await readVersion(clients.lambda, release), pace, clock())
    case 'publish':
      return publish(deployment, situation)
    case 'activate':
      return onVersionObserved(
        deployment,
        await readVersion(clients.lambda, release, versionOf(deployment)),
        pace,
        clock(),
      )
    case 'shift':
      return shift(deployment, situation)
    case 'proceed':
      return proceed(deployment, clock())
    case 'measure':
      return measureChecks(deployment, situation)
    case 'confirm':
      return endIfUnchanged(deployment, await readAlias(clients.lambda, release), pace, clock())
    case 'retain':
      return selectVersionsToRemove(
        deployment,
        situation.moduleInstanceId,
        await historyOf(deployment, situation),
        clock(),
      )
    case 'remove':
      return remove(deployment, situation)
    case 'restore':
      return mayHaveMoved(deployment) ? restore(deployment, situation) : endUnmoved(deployment, clock())
  }
}

async function prepare(deployment: LambdaState, { clients, clock }: ActionContext): Promise<LambdaState> {
  const { release } = deployment
  const [alias, stored] = await Promise.all([
    readAlias(clients.lambda, release),
    release.version && findVersion(clients.lambda, release, release.version.version),
  ])
  const versions = { running: alias.version, next: stored?.version }
  const sharing = usesWeightedRouting(release) ? await readSharing(clients.lambda, release, versions) : undefined
  return onPrepared(deployment, { alias, stored, sharing }, clock())
}

async function giveCode(deployment: LambdaState, { clients, clock, beforeSend }: ActionContext): Promise<LambdaState> {
  const { revisionId } = latestBefore(deployment)
  if (deployment.progress.expected === undefined) {
    return recordExpectedCode(deployment, await hashOfCode(clients.lambda, updateOf(deployment.release)), clock())
  }
  beforeSend()
  const updated = await updateCode(clients.lambda, updateOf(deployment.release), revisionId)
  return updated ? onCodeAccepted(deployment, updated, clock()) : onCodeRejected(deployment, clock())
}

/**
 * Finds out what happened to an attempt without a response. Uses a quick read, because the attempt may have timed out.
 */
async function findCode(deployment: LambdaState, { clients, pace, clock }: ActionContext): Promise<LambdaState> {
  const { release } = deployment
  const latest = await readVersion(clients.lambda, release)
  if (isBusy(latest)) return waitWhileBusy(deployment, pace, clock())
  if (latest.revisionId === latestBefore(deployment).revisionId) return onCodeUnchanged(deployment, clock())
  // Absent from attempts by an earlier version of Sluice.
  const { expected = await hashOfCode(clients.lambda, updateOf(release)) } = deployment.progress
  return onCodeChanged(deployment, latest, expected, clock())
}

/** Publishes a version. The cloud publishes unchanged code only once. */
async function publish(deployment: LambdaState, { clients, clock, beforeSend }: ActionContext): Promise<LambdaState> {
  const { id, release, data } = deployment
  beforeSend()
  return onPublished(deployment, await publishVersion(clients.lambda, release, data.codeSha256 ?? '', id), clock())
}

/** Shifts traffic. The revision id makes repeated requests idempotent and prevents overwriting a concurrent change. */
async function shift(deployment: LambdaState, { clients, clock, beforeSend }: ActionContext): Promise<LambdaState> {
  const { release } = deployment
  beforeSend()
  const moved = await moveAlias(clients.lambda, release, nextRouting(deployment), aliasOf(deployment).revisionId)
  if (moved) return onShifted(deployment, moved, clock())
  return onShiftRejected(deployment, await readAlias(clients.lambda, release), clock())
}

/**
 * Measures the checks without polling first, because pauses and bakes are in the row. The conditional write counts each
 * measurement once.
 */
async function measureChecks(deployment: LambdaState, situation: ActionContext): Promise<LambdaState> {
  const { clients, clock } = situation
  const { analysis } = deployment.release
  if (!analysis) throw new Error(`deployment ${deployment.id} has nothing to measure`)
  const context = { metrics: clients.metrics, since: measuredSince(deployment), now: clock() }
  const measurements = await situation.measure(forVersion(analysis, versionOf(deployment)), context)
  const after = applyMeasurements(deployment, measurements, clock())
  if (after.status === 'IN_PROGRESS') return proceed(after, clock())
  const since = new Date(deployment.startedAt ?? clock())
  const seen = { ...deployment.release, version: versionOf(deployment), since, now: clock() }
  return after.error
    ? { ...after, error: withLogLines(after.error, seen.version, await lastLinesOfVersion(clients, seen)) }
    : after
}

/**
 * Restores the alias. Writes it even if it has not changed, so that a shift in flight has an outdated revision id and
 * fails.
 */
async function restore(deployment: LambdaState, { clients, clock, beforeSend }: ActionContext): Promise<LambdaState> {
  const { release } = deployment
  beforeSend()
  const moved = await moveAlias(clients.lambda, release, routingBefore(deployment), aliasOf(deployment).revisionId)
  if (moved) return onRestored(deployment, moved, clock())
  return onRestoreRejected(deployment, await readAlias(clients.lambda, release), clock())
}

const historyOf = ({ release }: LambdaState, { functionReleases }: ActionContext) =>
  functionReleases(release.functionArn)

async function remove(deployment: LambdaState, { clients, clock, beforeSend }: ActionContext): Promise<LambdaState> {
  beforeSend()
  const isRemoved = await deleteVersion(clients.lambda, deployment.release, nextToRemove(deployment))
  return onVersionRemoved(deployment, isRemoved, clock())
}

const updateOf = (release: LambdaRelease) => ({ functionArn: release.functionArn, code: codeToPublish(release) })

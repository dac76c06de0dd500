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
import { measure } from '../../analysis/measure.ts'
import { forVersion } from '../../analysis/spec.ts'
import { measuredSince } from '../../analysis/standing.ts'
import type { Situation } from '../../execution/execute.ts'
import { analysed, watching } from './analysis.ts'
import { saidBy } from './failures.ts'
import {
  busy,
  codeExpected,
  codeFound,
  codeNotFound,
  codeRefused,
  codeUpdated,
  inspected,
  isBusy,
  type LambdaCloudAction,
  latestBefore,
  prepared,
  published,
  updateSeen,
  versionSeen,
} from './machine.ts'
import { knownCodeOf, type LambdaRelease } from './release.ts'
import { nextToRemove, removed, retained } from './retention.ts'
import { sharesCalls } from './sharing.ts'
import {
  aliasFound,
  aliasFoundAtRestore,
  aliasOf,
  confirmed,
  neverMoved,
  nextRouting,
  proceeded,
  restored,
  routingBefore,
  shifted,
  versionOf,
} from './shifts.ts'
import type { LambdaStanding } from './state.ts'
import { mayHaveMoved } from './transitions.ts'

/**
 * Executes one action in the cloud and returns the state of the deployment after it.
 * @throws errors of the cloud, permanent and transient
 */
export async function carryOut(
  action: LambdaCloudAction,
  standing: LambdaStanding,
  situation: Situation,
): Promise<LambdaStanding> {
  return watching(await take(action, standing, situation), situation.clock())
}

async function take(
  action: LambdaCloudAction,
  standing: LambdaStanding,
  situation: Situation,
): Promise<LambdaStanding> {
  const { clients, pace, clock } = situation
  const { release } = standing
  switch (action.do) {
    case 'prepare':
      return prepare(standing, situation)
    case 'inspect':
      return inspected(standing, await readVersion(clients.lambda, release), pace, clock())
    case 'code':
      return giveCode(standing, situation)
    case 'find':
      return findCode(standing, situation)
    case 'settle':
      return updateSeen(standing, await readVersion(clients.lambda, release), pace, clock())
    case 'publish':
      return publish(standing, situation)
    case 'activate':
      return versionSeen(standing, await readVersion(clients.lambda, release, versionOf(standing)), pace, clock())
    case 'shift':
      return shift(standing, situation)
    case 'proceed':
      return proceeded(standing, clock())
    case 'measure':
      return measureChecks(standing, situation)
    case 'confirm':
      return confirmed(standing, await readAlias(clients.lambda, release), pace, clock())
    case 'retain':
      return retained(standing, situation.moduleInstanceId, await historyOf(standing, situation), clock())
    case 'remove':
      return remove(standing, situation)
    case 'restore':
      return mayHaveMoved(standing) ? restore(standing, situation) : neverMoved(standing, clock())
  }
}

async function prepare(standing: LambdaStanding, { clients, clock }: Situation): Promise<LambdaStanding> {
  const { release } = standing
  const [alias, stored] = await Promise.all([
    readAlias(clients.lambda, release),
    release.version && findVersion(clients.lambda, release, release.version.version),
  ])
  const versions = { running: alias.version, next: stored?.version }
  const sharing = sharesCalls(release) ? await readSharing(clients.lambda, release, versions) : undefined
  return prepared(standing, { alias, stored, sharing }, clock())
}

async function giveCode(standing: LambdaStanding, { clients, clock, beforeSend }: Situation): Promise<LambdaStanding> {
  const { revisionId } = latestBefore(standing)
  if (standing.progress.expected === undefined) {
    return codeExpected(standing, await hashOfCode(clients.lambda, updateOf(standing.release)), clock())
  }
  beforeSend()
  const updated = await updateCode(clients.lambda, updateOf(standing.release), revisionId)
  return updated ? codeUpdated(standing, updated, clock()) : codeRefused(standing, clock())
}

/**
 * Finds out what happened to an attempt without a response. Uses a quick read, because the attempt may have timed out.
 */
async function findCode(standing: LambdaStanding, { clients, pace, clock }: Situation): Promise<LambdaStanding> {
  const { release } = standing
  const latest = await readVersion(clients.lambda, release)
  if (isBusy(latest)) return busy(standing, pace, clock())
  if (latest.revisionId === latestBefore(standing).revisionId) return codeNotFound(standing, clock())
  // Absent from attempts by an earlier version of Sluice.
  const { expected = await hashOfCode(clients.lambda, updateOf(release)) } = standing.progress
  return codeFound(standing, latest, expected, clock())
}

/** Publishes a version. The cloud publishes unchanged code only once. */
async function publish(standing: LambdaStanding, { clients, clock, beforeSend }: Situation): Promise<LambdaStanding> {
  const { id, release, data } = standing
  beforeSend()
  return published(standing, await publishVersion(clients.lambda, release, data.codeSha256 ?? '', id), clock())
}

/** Shifts traffic. The revision id makes repeated requests idempotent and prevents overwriting a concurrent change. */
async function shift(standing: LambdaStanding, { clients, clock, beforeSend }: Situation): Promise<LambdaStanding> {
  const { release } = standing
  beforeSend()
  const moved = await moveAlias(clients.lambda, release, nextRouting(standing), aliasOf(standing).revisionId)
  if (moved) return shifted(standing, moved, clock())
  return aliasFound(standing, await readAlias(clients.lambda, release), clock())
}

/**
 * Measures the checks without polling first, because pauses and bakes are in the row. The conditional write counts each
 * measurement once.
 */
async function measureChecks(standing: LambdaStanding, situation: Situation): Promise<LambdaStanding> {
  const { clients, clock, sendOutbound } = situation
  const { analysis } = standing.release
  if (!analysis) throw new Error(`deployment ${standing.id} has nothing to measure`)
  const instruments = { metrics: clients.metrics, sendOutbound, since: measuredSince(standing), now: clock() }
  const measurements = await measure(forVersion(analysis, versionOf(standing)), instruments)
  const after = analysed(standing, measurements, clock())
  if (after.status === 'IN_PROGRESS') return proceeded(after, clock())
  const since = new Date(standing.startedAt ?? clock())
  const seen = { ...standing.release, version: versionOf(standing), since, now: clock() }
  return after.error
    ? { ...after, error: saidBy(after.error, seen.version, await lastLinesOfVersion(clients, seen)) }
    : after
}

/**
 * Restores the alias. Writes it even if it has not changed, so that a shift in flight has an outdated revision id and
 * fails.
 */
async function restore(standing: LambdaStanding, { clients, clock, beforeSend }: Situation): Promise<LambdaStanding> {
  const { release } = standing
  beforeSend()
  const moved = await moveAlias(clients.lambda, release, routingBefore(standing), aliasOf(standing).revisionId)
  if (moved) return restored(standing, moved, clock())
  return aliasFoundAtRestore(standing, await readAlias(clients.lambda, release), clock())
}

const historyOf = ({ release }: LambdaStanding, { functionReleases }: Situation) =>
  functionReleases(release.functionArn)

async function remove(standing: LambdaStanding, { clients, clock, beforeSend }: Situation): Promise<LambdaStanding> {
  beforeSend()
  const isRemoved = await deleteVersion(clients.lambda, standing.release, nextToRemove(standing))
  return removed(standing, isRemoved, clock())
}

const updateOf = (release: LambdaRelease) => ({ functionArn: release.functionArn, code: knownCodeOf(release) })

import type { DeploymentStatus, PromotionBlocker } from '@sluice/contract'
import type { TaskCounts } from '../../cloud/facts/running.ts'
import type { Reason } from '../../gates/evaluate.ts'
import type { PromotionRuleRow } from './tables.ts'

export type Rule = Pick<PromotionRuleRow, 'soakMinutes' | 'start' | 'mode' | 'createdAt'> & {
  /** Whether the source environment still precedes the target in the order of the project. */
  isInOrder: boolean
}

/** Health of a running release, as last observed. */
export type Health = 'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN'

/** Release that is a candidate for promotion, and its state in the source environment. */
export type Source = {
  status: DeploymentStatus
  createdAt: Date
  completedAt: Date | null
  /** Whether it is the latest successful release there. */
  isLive: boolean
  isRollback: boolean
  /** Whether it is an external deployment, whose inputs are unknown. */
  isExternal: boolean
  /** Whether the latest finished deployment there failed, so that the running version is uncertain. */
  hasFailed: boolean
  /** Whether a rollback is in progress there. */
  isRollingBack: boolean
  /**
   * Time since when it was observed as healthy; undefined before the first observation, null if the last one was
   * unhealthy.
   */
  healthySince: Date | null | undefined
}

/** Target instance of a promotion. */
export type PromotionTarget = {
  /**
   * When the release that runs there was first requested; for a promotion, when its source was. Undefined if there is
   * none.
   */
  liveFrom: Date | undefined
  /** Whether this release has been promoted there before, with any result. */
  wasThere: boolean
  /** Whether a release with the same inputs was rolled back there. */
  wasRolledBack: boolean
  /** Whether a deployment is active or queued there that the promotion would not supersede. */
  isBusy: boolean
}

/**
 * Gate that blocks releases to the target now, and whether the author of the rule has the permission to deploy there.
 */
export type Gates = { waitsFor: Pick<Reason, 'gate' | 'message'> | undefined; canAuthorDeploy: boolean }

export type Blocker = { blocker: PromotionBlocker; until?: Date }

/**
 * Returns the start of the soak time: the release or the creation of the rule, whichever is later; null if unhealthy.
 */
export const soakStart = ({ createdAt }: Pick<Rule, 'createdAt'>, source: Source): Date | null => {
  if (source.healthySince !== undefined) return source.healthySince
  const { completedAt } = source
  return completedAt && (completedAt > createdAt ? completedAt : createdAt)
}

/** Returns why a release is not eligible for promotion, manually or automatically; undefined if it is. */
export function eligibilityBlocker(
  rule: Pick<Rule, 'soakMinutes' | 'createdAt'>,
  source: Source,
  now: Date,
): Blocker | undefined {
  if (source.status !== 'SUCCESS' || !source.isLive) return { blocker: 'NOT_LIVE' }
  if (source.isRollingBack) return { blocker: 'ROLLING_BACK' }
  if (source.hasFailed) return { blocker: 'FAILED' }
  const since = soakStart(rule, source)
  if (since === null) return { blocker: 'UNHEALTHY' }
  const until = new Date(since.getTime() + rule.soakMinutes * 60_000)
  return now < until ? { blocker: 'SOAKING', until } : undefined
}

/** Result of evaluating a release for automatic promotion. */
export type PromotionDecision = { do: 'release' } | ({ do: 'wait' | 'pass over' } & Blocker)

const passOver = (blocker: PromotionBlocker): PromotionDecision => ({ do: 'pass over', blocker })
const wait = (blocker: PromotionBlocker): PromotionDecision => ({ do: 'wait', blocker })

export function decidePromotion(
  {
    rule,
    source,
    target,
    gates,
    health,
  }: { rule: Rule; source: Source; target: PromotionTarget; gates: Gates; health: Health },
  now: Date,
): PromotionDecision {
  const never = permanentBlocker(source, target)
  if (never) return passOver(never)
  if (!rule.isInOrder) return wait('OUT_OF_ORDER')
  const blocker = eligibilityBlocker(rule, source, now)
  if (blocker) return { do: 'wait', ...blocker }
  if (rule.start === 'MANUAL') return wait('MANUAL')
  if (health !== 'HEALTHY') return wait(health === 'UNHEALTHY' ? 'UNHEALTHY' : 'UNKNOWN_HEALTH')
  const stopped = targetBlocker(target, gates)
  if (stopped) return wait(stopped)
  if (!gates.canAuthorDeploy) return wait('PERMISSION_DENIED')
  return rule.mode === 'WARN' ? passOver('WARNING') : { do: 'release' }
}

/** Returns what blocks the release at the target. */
function targetBlocker({ isBusy }: PromotionTarget, { waitsFor }: Gates): PromotionBlocker | undefined {
  if (isBusy) return 'IN_PROGRESS'
  return waitsFor && (waitsFor.gate === 'HOLD' ? 'HELD' : 'FROZEN')
}

type Facts = Parameters<typeof decidePromotion>[0]

/**
 * Returns the forecast for a viewer: like `nextOf`, but a release that is ready for a manual promotion may still be
 * blocked at the target.
 */
export function forecastOf(facts: Facts, now: Date): PromotionDecision {
  const next = decidePromotion(facts, now)
  const stopped = next.do === 'wait' && next.blocker === 'MANUAL' && targetBlocker(facts.target, facts.gates)
  return stopped ? wait(stopped) : next
}

/** Default rule of a step without a rule: manual promotion without soak time. */
export const defaultRule: Rule = {
  soakMinutes: 0,
  start: 'MANUAL',
  mode: 'ENFORCE',
  createdAt: new Date(0),
  isInOrder: true,
}

/** Returns why a release can never be promoted automatically; undefined if it can. */
function permanentBlocker(source: Source, target: PromotionTarget): PromotionBlocker | undefined {
  if (source.status !== 'SUCCESS' || !source.isLive) return 'NOT_LIVE'
  if (source.isExternal) return 'EXTERNAL_DEPLOYMENT'
  if (source.isRollback) return 'ROLLBACK'
  if (target.wasThere) return 'ALREADY_RELEASED'
  if (target.wasRolledBack) return 'ROLLED_BACK_IN_TARGET'
  if (target.liveFrom && target.liveFrom >= source.createdAt) return 'NEWER_IN_TARGET'
  return undefined
}

/** Returns since when a release is healthy after one more observation. An unknown health changes nothing. */
export function healthySinceAfter(
  health: Health,
  rule: Pick<Rule, 'createdAt'>,
  source: Source,
  now: Date,
): Date | null {
  if (health === 'UNHEALTHY') return null
  return soakStart(rule, source) ?? (health === 'HEALTHY' ? now : null)
}

/**
 * Returns the health of a service by its tasks. It is unknown while missing tasks are starting, because the service may
 * be scaling out or replacing tasks.
 */
export function healthOf({ runningTasks, startingTasks, desiredTasks }: Omit<TaskCounts, 'taskDefinitionArn'>): Health {
  if (runningTasks >= desiredTasks) return 'HEALTHY'
  return runningTasks > 0 && runningTasks + startingTasks >= desiredTasks ? 'UNKNOWN' : 'UNHEALTHY'
}

/** Returns the message of a blocker. A gate has its own message. */
export function messageFor({ blocker, until }: Blocker, gates?: Gates): string {
  if (blocker === 'HELD' || blocker === 'FROZEN') return gates?.waitsFor?.message ?? messages[blocker]
  return until ? `${messages[blocker]} It may go on at ${until.toISOString()}.` : messages[blocker]
}

const messages = {
  NOT_LIVE: 'It is not what runs there.',
  EXTERNAL_DEPLOYMENT: 'It was begun outside of Sluice, which does not know of what.',
  ROLLBACK: 'It is a rollback, which is never promoted automatically.',
  ALREADY_RELEASED: 'It was promoted there before.',
  ROLLED_BACK_IN_TARGET: 'This release was rolled back there before.',
  NEWER_IN_TARGET: 'What runs there was released later.',
  OUT_OF_ORDER: 'The environments are no longer in this order.',
  ROLLING_BACK: 'A release is being rolled back in the source environment.',
  FAILED: 'The latest release in the source environment failed.',
  UNHEALTHY: 'It is not healthy in the source environment.',
  UNKNOWN_HEALTH: 'Its health in the source environment is unknown.',
  SOAKING: 'It has not been live and healthy for long enough.',
  MANUAL: 'It is ready to be promoted manually.',
  WARNING: 'The rule only warns: it would have been released now.',
  IN_PROGRESS: 'It waits for a deployment that is in progress there.',
  HELD: 'It is held there.',
  FROZEN: 'It is frozen there.',
  PERMISSION_DENIED: 'The author of the rule may no longer deploy there. A user who may must save it again.',
  DENIED: 'It was refused.',
  REPLACED: 'A newer release has taken its place.',
} as const satisfies Record<PromotionBlocker, string>

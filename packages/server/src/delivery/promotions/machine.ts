import type { DeploymentStatus, PromotionBlocker } from '@sluice/contract'
import type { TaskCounts } from '../../cloud/facts/running.ts'
import type { Reason } from '../../gates/evaluate.ts'
import type { PromotionRuleRow } from './tables.ts'

export type Rule = Pick<PromotionRuleRow, 'soakMinutes' | 'start' | 'mode' | 'createdAt'> & {
  /** Whether the one environment still stands before the other in the order of the project. */
  isInOrder: boolean
}

/** What the last look at what runs showed. */
export type Health = 'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN'

/** The release that may go on, and how it fares where it is. */
export type Source = {
  status: DeploymentStatus
  createdAt: Date
  completedAt: Date | null
  /** Whether nothing has become live there since. */
  isLive: boolean
  isRollback: boolean
  /** Begun by others, so that nobody knows what it was made of. */
  isFromOutside: boolean
  /** Whether the latest release there that ended failed, so that it is not certain what runs. */
  hasFailed: boolean
  /** Whether a release there is being turned back. */
  isTurningBack: boolean
  /** Since when it was seen healthy; undefined where nobody has looked yet, null where it was not. */
  healthySince: Date | null | undefined
}

/** The instance that it may go on to. */
export type Target = {
  /**
   * When what runs there was asked for in the first place: of a promotion, the release that it repeats. Undefined where
   * nothing runs.
   */
  liveFrom: Date | undefined
  /** Whether this release was promoted there before, whatever came of it. */
  wasThere: boolean
  /** Whether the same, by whatever deployment, was turned back there. */
  wasTurnedBack: boolean
  /** Whether something runs or waits there that would not give way. */
  isUnderWay: boolean
}

/** What a release would wait for at the target now, and whether who wrote the rule may deploy there. */
export type Gates = { waitsFor: Pick<Reason, 'gate' | 'message'> | undefined; writerMay: boolean }

export type Blocker = { blocker: PromotionBlocker; until?: Date }

/** Since when the soak counts: looks begin with the rule or the release, whichever is later. */
export const soaksSince = ({ createdAt }: Pick<Rule, 'createdAt'>, source: Source): Date | null => {
  if (source.healthySince !== undefined) return source.healthySince
  const { completedAt } = source
  return completedAt && (completedAt > createdAt ? completedAt : createdAt)
}

/** What keeps a release from being ripe to go on anywhere; undefined where it is. Of people's promotions as well. */
export function unripe(rule: Pick<Rule, 'soakMinutes' | 'createdAt'>, source: Source, now: Date): Blocker | undefined {
  if (source.status !== 'SUCCESS' || !source.isLive) return { blocker: 'NOT_LIVE' }
  if (source.isTurningBack) return { blocker: 'ROLLING_BACK' }
  if (source.hasFailed) return { blocker: 'FAILED' }
  const since = soaksSince(rule, source)
  if (since === null) return { blocker: 'UNHEALTHY' }
  const until = new Date(since.getTime() + rule.soakMinutes * 60_000)
  return now < until ? { blocker: 'SOAKING', until } : undefined
}

/** What becomes of a release that nobody promotes by hand. */
export type Next = { do: 'release' } | ({ do: 'wait' | 'pass over' } & Blocker)

const passOver = (blocker: PromotionBlocker): Next => ({ do: 'pass over', blocker })
const wait = (blocker: PromotionBlocker): Next => ({ do: 'wait', blocker })

export function nextOf(
  { rule, source, target, gates, health }: { rule: Rule; source: Source; target: Target; gates: Gates; health: Health },
  now: Date,
): Next {
  const never = whyNever(source, target)
  if (never) return passOver(never)
  if (!rule.isInOrder) return wait('OUT_OF_ORDER')
  const blocker = unripe(rule, source, now)
  if (blocker) return { do: 'wait', ...blocker }
  if (rule.start === 'MANUAL') return wait('MANUAL')
  if (health !== 'HEALTHY') return wait(health === 'UNHEALTHY' ? 'UNHEALTHY' : 'UNKNOWN_HEALTH')
  const stopped = stoppedThere(target, gates)
  if (stopped) return wait(stopped)
  if (!gates.writerMay) return wait('PERMISSION_DENIED')
  return rule.mode === 'WARN' ? passOver('WARNING') : { do: 'release' }
}

/** What has a release wait where it would go. */
function stoppedThere({ isUnderWay }: Target, { waitsFor }: Gates): PromotionBlocker | undefined {
  if (isUnderWay) return 'IN_PROGRESS'
  return waitsFor && (waitsFor.gate === 'HOLD' ? 'HELD' : 'FROZEN')
}

type Facts = Parameters<typeof nextOf>[0]

/** The same for who looks what could go on: what is ready for people may have to wait there all the same. */
export function forecastOf(facts: Facts, now: Date): Next {
  const next = nextOf(facts, now)
  const stopped = next.do === 'wait' && next.blocker === 'MANUAL' && stoppedThere(facts.target, facts.gates)
  return stopped ? wait(stopped) : next
}

/** Of a step without a rule people decide, and nothing need soak. */
export const noRule: Rule = {
  soakMinutes: 0,
  start: 'MANUAL',
  mode: 'ENFORCE',
  createdAt: new Date(0),
  isInOrder: true,
}

/** Why a release never goes there by itself, whatever comes. */
function whyNever(source: Source, target: Target): PromotionBlocker | undefined {
  if (source.status !== 'SUCCESS' || !source.isLive) return 'NOT_LIVE'
  if (source.isFromOutside) return 'EXTERNAL_DEPLOYMENT'
  if (source.isRollback) return 'ROLLBACK'
  if (target.wasThere) return 'ALREADY_RELEASED'
  if (target.wasTurnedBack) return 'ROLLED_BACK_IN_TARGET'
  if (target.liveFrom && target.liveFrom >= source.createdAt) return 'NEWER_IN_TARGET'
  return undefined
}

/** Since when a release is healthy, after one more look. What nobody could see neither begins nor ends it. */
export function healthySinceAfter(
  health: Health,
  rule: Pick<Rule, 'createdAt'>,
  source: Source,
  now: Date,
): Date | null {
  if (health === 'UNHEALTHY') return null
  return soaksSince(rule, source) ?? (health === 'HEALTHY' ? now : null)
}

/**
 * How a service fares by its tasks. While it starts some, nobody can tell: it may grow, or replace one after another.
 */
export function healthBy({ runningTasks, startingTasks, desiredTasks }: Omit<TaskCounts, 'taskDefinitionArn'>): Health {
  if (runningTasks >= desiredTasks) return 'HEALTHY'
  return runningTasks > 0 && runningTasks + startingTasks >= desiredTasks ? 'UNKNOWN' : 'UNHEALTHY'
}

/** The same for people; what a gate says of itself is its own to say. */
export function inWords({ blocker, until }: Blocker, gates?: Gates): string {
  if (blocker === 'HELD' || blocker === 'FROZEN') return gates?.waitsFor?.message ?? words[blocker]
  return until ? `${words[blocker]} It may go on at ${until.toISOString()}.` : words[blocker]
}

const words = {
  NOT_LIVE: 'It is not what runs there.',
  EXTERNAL_DEPLOYMENT: 'It was begun outside of Sluice, which does not know of what.',
  ROLLBACK: 'It is a return to an earlier release, which goes nowhere by itself.',
  ALREADY_RELEASED: 'It was promoted there before.',
  ROLLED_BACK_IN_TARGET: 'The same was turned back there before.',
  NEWER_IN_TARGET: 'What runs there was released later.',
  OUT_OF_ORDER: 'The environments do not stand in this order any more.',
  ROLLING_BACK: 'A release is being turned back where it comes from.',
  FAILED: 'The latest release where it comes from failed.',
  UNHEALTHY: 'It is not healthy where it comes from.',
  UNKNOWN_HEALTH: 'It cannot be told now whether it is healthy where it comes from.',
  SOAKING: 'It has not been live and healthy for long enough.',
  MANUAL: 'It is ready to be promoted by hand.',
  WARNING: 'The rule only warns: it would have been released now.',
  IN_PROGRESS: 'It waits for what is under way there.',
  HELD: 'It is held there.',
  FROZEN: 'It is frozen there.',
  PERMISSION_DENIED: 'Who wrote the rule may not deploy there any more. Somebody who may has to write it again.',
  DENIED: 'It was refused.',
  REPLACED: 'A newer release has taken its place.',
} as const satisfies Record<PromotionBlocker, string>

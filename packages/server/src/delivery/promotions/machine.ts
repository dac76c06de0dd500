import type { DeploymentStatus, PromotionObstacle } from '@sluice/contract'
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

export type Obstacle = { obstacle: PromotionObstacle; until?: Date }

/** Since when the soak counts: looks begin with the rule or the release, whichever is later. */
export const soaksSince = ({ createdAt }: Pick<Rule, 'createdAt'>, source: Source): Date | null => {
  if (source.healthySince !== undefined) return source.healthySince
  const { completedAt } = source
  return completedAt && (completedAt > createdAt ? completedAt : createdAt)
}

/** What keeps a release from being ripe to go on anywhere; undefined where it is. Of people's promotions as well. */
export function unripe(rule: Pick<Rule, 'soakMinutes' | 'createdAt'>, source: Source, now: Date): Obstacle | undefined {
  if (source.status !== 'SUCCESS' || !source.isLive) return { obstacle: 'NOT_LIVE' }
  if (source.isTurningBack) return { obstacle: 'TURNING_BACK' }
  if (source.hasFailed) return { obstacle: 'FAILED' }
  const since = soaksSince(rule, source)
  if (since === null) return { obstacle: 'UNHEALTHY' }
  const until = new Date(since.getTime() + rule.soakMinutes * 60_000)
  return now < until ? { obstacle: 'SOAKING', until } : undefined
}

/** What becomes of a release that nobody promotes by hand. */
export type Next = { do: 'release' } | ({ do: 'wait' | 'pass over' } & Obstacle)

const passOver = (obstacle: PromotionObstacle): Next => ({ do: 'pass over', obstacle })
const wait = (obstacle: PromotionObstacle): Next => ({ do: 'wait', obstacle })

export function nextOf(
  { rule, source, target, gates, health }: { rule: Rule; source: Source; target: Target; gates: Gates; health: Health },
  now: Date,
): Next {
  const never = whyNever(source, target)
  if (never) return passOver(never)
  if (!rule.isInOrder) return wait('OUT_OF_ORDER')
  const obstacle = unripe(rule, source, now)
  if (obstacle) return { do: 'wait', ...obstacle }
  if (rule.start === 'MANUAL') return wait('MANUAL')
  if (health !== 'HEALTHY') return wait(health === 'UNHEALTHY' ? 'UNHEALTHY' : 'UNKNOWN_HEALTH')
  const stopped = stoppedThere(target, gates)
  if (stopped) return wait(stopped)
  if (!gates.writerMay) return wait('NO_RIGHT')
  return rule.mode === 'WARN' ? passOver('WARNS') : { do: 'release' }
}

/** What has a release wait where it would go. */
function stoppedThere({ isUnderWay }: Target, { waitsFor }: Gates): PromotionObstacle | undefined {
  if (isUnderWay) return 'UNDER_WAY'
  return waitsFor && (waitsFor.gate === 'HOLD' ? 'HELD' : 'FROZEN')
}

type Facts = Parameters<typeof nextOf>[0]

/** The same for who looks what could go on: what is ready for people may have to wait there all the same. */
export function outlookOf(facts: Facts, now: Date): Next {
  const next = nextOf(facts, now)
  const stopped = next.do === 'wait' && next.obstacle === 'MANUAL' && stoppedThere(facts.target, facts.gates)
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
function whyNever(source: Source, target: Target): PromotionObstacle | undefined {
  if (source.status !== 'SUCCESS' || !source.isLive) return 'NOT_LIVE'
  if (source.isFromOutside) return 'OUTSIDE'
  if (source.isRollback) return 'ROLLBACK'
  if (target.wasThere) return 'WAS_THERE'
  if (target.wasTurnedBack) return 'TURNED_BACK_THERE'
  if (target.liveFrom && target.liveFrom >= source.createdAt) return 'NEWER_THERE'
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
export function healthBy({ tasksRunning, tasksStarting, tasksWanted }: TaskCounts): Health {
  if (tasksRunning >= tasksWanted) return 'HEALTHY'
  return tasksRunning > 0 && tasksRunning + tasksStarting >= tasksWanted ? 'UNKNOWN' : 'UNHEALTHY'
}

/** The same for people; what a gate says of itself is its own to say. */
export function inWords({ obstacle, until }: Obstacle, gates?: Gates): string {
  if (obstacle === 'HELD' || obstacle === 'FROZEN') return gates?.waitsFor?.message ?? words[obstacle]
  return until ? `${words[obstacle]} It may go on at ${until.toISOString()}.` : words[obstacle]
}

const words = {
  NOT_LIVE: 'It is not what runs there.',
  OUTSIDE: 'It was begun outside of Sluice, which does not know of what.',
  ROLLBACK: 'It is a return to an earlier release, which goes nowhere by itself.',
  WAS_THERE: 'It was promoted there before.',
  TURNED_BACK_THERE: 'The same was turned back there before.',
  NEWER_THERE: 'What runs there was released later.',
  OUT_OF_ORDER: 'The environments do not stand in this order any more.',
  TURNING_BACK: 'A release is being turned back where it comes from.',
  FAILED: 'The latest release where it comes from failed.',
  UNHEALTHY: 'It is not healthy where it comes from.',
  UNKNOWN_HEALTH: 'It cannot be told now whether it is healthy where it comes from.',
  SOAKING: 'It has not been live and healthy for long enough.',
  MANUAL: 'It is ready to be promoted by hand.',
  WARNS: 'The rule only warns: it would have been released now.',
  UNDER_WAY: 'It waits for what is under way there.',
  HELD: 'It is held there.',
  FROZEN: 'It is frozen there.',
  NO_RIGHT: 'Who wrote the rule may not deploy there any more. Somebody who may has to write it again.',
  REFUSED: 'It was refused.',
  REPLACED: 'A newer release has taken its place.',
} as const satisfies Record<PromotionObstacle, string>

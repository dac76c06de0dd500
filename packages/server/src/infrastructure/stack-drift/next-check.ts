import { createHash } from 'node:crypto'
import { nextTime } from '../../pipelines/pipeline-versions/config/schedule.ts'

type Schedule = { stackId: string; cron: string; timeZone: string }

/** Share of the interval over which checks are spread, and the maximum spread. */
const spreadShare = 0.25
const maxSpreadMs = 30 * 60_000

/**
 * Returns the time of the stack's next check: a fixed offset after the scheduled time, so that a thousand stacks on one
 * schedule are not checked at once.
 */
export function nextCheckTime({ stackId, cron, timeZone }: Schedule, now: Date): Date | undefined {
  const next = nextTime(cron, timeZone, now)
  if (!next) return undefined
  const after = nextTime(cron, timeZone, next)
  const period = after ? after.getTime() - next.getTime() : maxSpreadMs
  const spread = Math.min(period * spreadShare, maxSpreadMs)
  return new Date(next.getTime() + Math.floor(spread * shareOf(stackId)))
}

/** Returns a fixed number from 0 to 1 for an id. */
const shareOf = (id: string): number => createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32

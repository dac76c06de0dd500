import { createHash } from 'node:crypto'
import { nextTime } from '../../pipelines/pipeline-versions/config/schedule.ts'

type Schedule = { stackId: string; cron: string; timeZone: string }

/** Looks are spread over so much of the time until the next one, and over no longer than that. */
const spreadShare = 0.25
const longestSpreadMs = 30 * 60_000

/**
 * When a stack is looked at next: at a time of its own after that of the schedule, always the same, so that a thousand
 * stacks with the same schedule are not looked at in one moment.
 */
export function nextLook({ stackId, cron, timeZone }: Schedule, now: Date): Date | undefined {
  const next = nextTime(cron, timeZone, now)
  if (!next) return undefined
  const after = nextTime(cron, timeZone, next)
  const period = after ? after.getTime() - next.getTime() : longestSpreadMs
  const spread = Math.min(period * spreadShare, longestSpreadMs)
  return new Date(next.getTime() + Math.floor(spread * shareOf(stackId)))
}

/** A number from 0 to 1 that an id always has. */
const shareOf = (id: string): number => createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32

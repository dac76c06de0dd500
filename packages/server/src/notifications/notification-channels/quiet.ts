import { type ChannelKind, type Digest, isOfChannel, type NotificationPayload, severityOf } from '@sluice/contract'
import { type ByClock, isUnderWay, nextOf, periodAt, zoneFaults } from '../../platform/time-windows.ts'
import type { NotificationChannelRow } from './tables.ts'

/** When a channel is told of what can wait. */
export type Rhythm = Pick<NotificationChannelRow, 'quietHours' | 'digest' | 'timeZone'>

/** Whether it is told at once, whatever the hour: what is CRITICAL, and what is told of channels themselves. */
export const isUrgent = (type: NotificationPayload['type']): boolean =>
  isOfChannel(type) || severityOf(type) === 'CRITICAL'

/** Until when what can wait and happens now is held back; undefined where it is told at once. */
export function heldUntil({ quietHours, digest, timeZone }: Rhythm, now: Date): Date | undefined {
  const cron = digestTimes[digest]
  const wanted = cron === undefined ? now : nextOf({ cron, timeZone }, now)
  const at = afterQuiet(quietHours.map(asWindow(timeZone)), wanted)
  return at > now ? at : undefined
}

const digestTimes: Record<Digest, string | undefined> = { NONE: undefined, HOURLY: '0 * * * *', DAILY: '0 9 * * *' }

/** More than a week without a minute that is not quiet is one that never ends. Milliseconds. */
const longestMs = 8 * 86_400_000

/** The first moment from then on in which it is not quiet; where one period ends in another, that has to end too. */
function afterQuiet(windows: readonly ByClock[], from: Date): Date {
  let at = from
  while (at.getTime() - from.getTime() < longestMs) {
    const until = quietUntil(windows, at)
    if (until === undefined) return at
    at = until
  }
  return at
}

function quietUntil(windows: readonly ByClock[], at: Date): Date | undefined {
  for (const window of windows) {
    const period = periodAt(window, at)
    if (period && isUnderWay(period, at)) return period.until
  }
  return undefined
}

const asWindow =
  (timeZone: string) =>
  ({ from, until, days }: NotificationChannelRow['quietHours'][number]): ByClock => ({
    cron: `${cronTime(from)} * * ${days.join(',')}`,
    untilCron: `${cronTime(until)} * * *`,
    timeZone,
  })

/** Minute and hour as cron writes them: 07:30 is `30 7`. */
const cronTime = (time: string): string => time.split(':').map(Number).toReversed().join(' ')

/** Programs are told at once, and whoever is on call has hours at PagerDuty. */
const forPeople: readonly ChannelKind[] = ['SLACK', 'TEAMS', 'EMAIL']

/** What is wrong with it, each with its place in the body. */
export function rhythmFaults(kind: ChannelKind, given: Partial<Rhythm>, now: Date): string[] {
  const { quietHours = [], digest = 'NONE', timeZone = 'UTC' } = given
  if (!forPeople.includes(kind)) {
    const isAsked = { quietHours: quietHours.length > 0, digest: digest !== 'NONE' }
    return (['quietHours', 'digest'] as const).flatMap((field) =>
      isAsked[field] ? [`$.data.${field}: expected none for ${kind}, which is told at once`] : [],
    )
  }
  const faults = zoneFaults(timeZone, '$.data.timeZone')
  if (faults.length > 0) return faults
  const until = heldUntil({ quietHours, digest: 'NONE', timeZone }, now)
  const isEndless = until !== undefined && until.getTime() - now.getTime() >= longestMs
  return isEndless ? ['$.data.quietHours: expected some time of the week without, these never end'] : []
}

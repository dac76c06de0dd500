import { belongsToChannel, type ChannelKind, type Digest, type NotificationPayload, severityOf } from '@sluice/contract'
import { type ByClock, isActiveAt, nextOf, periodAt, zoneFaults } from '../../platform/time-windows.ts'
import type { NotificationChannelRow } from './tables.ts'

/** Settings that decide when a channel gets notifications that can wait. */
export type DeliverySchedule = Pick<NotificationChannelRow, 'quietHours' | 'digest' | 'timeZone'>

/** Reports whether a notification is never delayed: critical ones, and those about channels themselves. */
export const isUrgent = (type: NotificationPayload['type']): boolean =>
  belongsToChannel(type) || severityOf(type) === 'CRITICAL'

/** Returns until when a notification that can wait is delayed; undefined to send it at once. */
export function delayedUntil({ quietHours, digest, timeZone }: DeliverySchedule, now: Date): Date | undefined {
  const cron = digestTimes[digest]
  const wanted = cron === undefined ? now : nextOf({ cron, timeZone }, now)
  const at = afterQuiet(quietHours.map(asWindow(timeZone)), wanted)
  return at > now ? at : undefined
}

const digestTimes: Record<Digest, string | undefined> = { NONE: undefined, HOURLY: '0 * * * *', DAILY: '0 9 * * *' }

/** Maximum duration of quiet hours before they count as endless, in milliseconds. */
const maxQuietMs = 8 * 86_400_000

/** Returns the first time outside all quiet periods, which may adjoin each other. */
function afterQuiet(windows: readonly ByClock[], from: Date): Date {
  let at = from
  while (at.getTime() - from.getTime() < maxQuietMs) {
    const until = quietUntil(windows, at)
    if (until === undefined) return at
    at = until
  }
  return at
}

function quietUntil(windows: readonly ByClock[], at: Date): Date | undefined {
  for (const window of windows) {
    const period = periodAt(window, at)
    if (period && isActiveAt(period, at)) return period.until
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

/** Converts a time such as 07:30 to cron's minute and hour, `30 7`. */
const cronTime = (time: string): string => time.split(':').map(Number).toReversed().join(' ')

/** Channel types with quiet hours. Webhooks are for programs, and PagerDuty has schedules of its own. */
const forPeople: readonly ChannelKind[] = ['SLACK', 'TEAMS', 'EMAIL']

/** Returns errors in quiet hours, digest and time zone, with their places in the body. */
export function deliveryScheduleFaults(kind: ChannelKind, given: Partial<DeliverySchedule>, now: Date): string[] {
  const { quietHours = [], digest = 'NONE', timeZone = 'UTC' } = given
  if (!forPeople.includes(kind)) {
    const isAsked = { quietHours: quietHours.length > 0, digest: digest !== 'NONE' }
    return (['quietHours', 'digest'] as const).flatMap((field) =>
      isAsked[field] ? [`$.data.${field}: expected none for ${kind}, which is notified at once`] : [],
    )
  }
  const faults = zoneFaults(timeZone, '$.data.timeZone')
  if (faults.length > 0) return faults
  const until = delayedUntil({ quietHours, digest: 'NONE', timeZone }, now)
  const isEndless = until !== undefined && until.getTime() - now.getTime() >= maxQuietMs
  return isEndless ? ['$.data.quietHours: expected some time of the week without, these never end'] : []
}

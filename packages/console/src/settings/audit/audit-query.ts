import type { ActorType, Channel } from '@sluice/contract'
import { actorLabels, channelLabels } from '../../decisions/decision-labels.ts'
import type { Filters } from './audit-filter-names.ts'

/** Returns the query for the page's filters. Ignores unknown values. */
export function auditQuery({ actorType, channel, from, to, ...exact }: Filters) {
  const startTime = startOfDay(from, 0)
  const endTime = startOfDay(to, 1)
  const whole = Object.entries(exact).map(([name, value]) => [name, value.trim()])
  return {
    ...(Object.fromEntries(whole.filter(([, value]) => value !== '')) as typeof exact),
    ...(isActorType(actorType) && { actorType }),
    ...(isChannel(channel) && { channel }),
    ...(startTime && { startTime }),
    ...(endTime && { endTime }),
  }
}

/** Returns the start of a day such as `2026-03-05` in the reader's time zone, plus some days. */
function startOfDay(day: string | undefined, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []
  if (date === undefined) return undefined
  return new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
}

const isActorType = (word: string | undefined): word is ActorType => Object.hasOwn(actorLabels, word ?? '')
const isChannel = (word: string | undefined): word is Channel => Object.hasOwn(channelLabels, word ?? '')

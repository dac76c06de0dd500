import type { ActorType, Channel } from '@sluice/contract'
import { actorNames, channelNames } from '../../decisions/words.ts'
import type { Filters } from './audit-filter-names.ts'

/** What the service is asked for, as the filters of the page say it; a word that it does not know counts as none. */
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

/** When a day such as `2026-03-05` begins by the reader's clock, or so many days later. */
function startOfDay(day: string | undefined, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []
  if (date === undefined) return undefined
  return new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
}

const isActorType = (word: string | undefined): word is ActorType => Object.hasOwn(actorNames, word ?? '')
const isChannel = (word: string | undefined): word is Channel => Object.hasOwn(channelNames, word ?? '')

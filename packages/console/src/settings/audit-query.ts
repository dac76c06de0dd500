import { type ActorType, actorTypes, type Channel, channels } from '@sluice/contract'

/** What the address of the page may say, each as people enter it. */
export const filterNames = [
  'actorName',
  'actorType',
  'actorId',
  'channel',
  'action',
  'resourceType',
  'resourceId',
  'from',
  'to',
] as const

export type Filters = Partial<Record<(typeof filterNames)[number], string>>

/** What the service is asked for, as the filters of the page say it; a word that it does not know counts as none. */
export function auditQuery({ actorType, channel, from, to, ...exact }: Filters) {
  const startTime = startOfDay(from, 0)
  const endTime = startOfDay(to, 1)
  const type = actorTypes.find((one): one is ActorType => one === actorType)
  const by = channels.find((one): one is Channel => one === channel)
  const whole = Object.entries(exact).map(([name, value]) => [name, value.trim()])
  return {
    ...(Object.fromEntries(whole.filter(([, value]) => value !== '')) as typeof exact),
    ...(type && { actorType: type }),
    ...(by && { channel: by }),
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

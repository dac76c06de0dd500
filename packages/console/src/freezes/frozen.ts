import type { Freeze, FreezeOverride, FrozenAct } from '@sluice/contract'

/** Where something is, as far down as a part of a page is about it. */
export type Where = {
  projectId?: string | undefined
  environmentId?: string | undefined
  moduleInstanceId?: string | undefined
}

/** The freezes of now and of the next hours, and what is let past them. */
export type Known = { freezes: readonly Freeze[]; overrides: readonly FreezeOverride[] }

const levels = ['projectId', 'environmentId', 'moduleInstanceId'] as const

/** Whether a freeze holds in all of a place. */
export const covers = (freeze: Where, place: Where): boolean =>
  levels.every((level) => freeze[level] === undefined || freeze[level] === place[level])

/** Whether it holds in a part of a place at least. */
export const concerns = (freeze: Where, place: Where): boolean =>
  levels.every((level) => !freeze[level] || !place[level] || freeze[level] === place[level])

/** Reckoned with the clock, not with what the service said of that moment: an answer may be a while old. */
export const isUnderWay = ({ period }: Pick<Freeze, 'period'>, nowMs: number): boolean =>
  period !== undefined && Date.parse(period.from) <= nowMs && nowMs < Date.parse(period.until)

/** What lets all of a place past a freeze. */
export const letPast = (
  { overrides }: Known,
  freeze: Freeze,
  { moduleInstanceId }: Where,
  nowMs: number,
): FreezeOverride | undefined =>
  overrides.find(
    (one) =>
      one.freezeId === freeze.id &&
      nowMs < Date.parse(one.until) &&
      (one.moduleInstanceId === undefined || one.moduleInstanceId === moduleInstanceId),
  )

/** What stops something in a place, the freeze that ends last first. */
export const stopping = (known: Known, act: FrozenAct, place: Where, nowMs: number): Freeze[] =>
  known.freezes
    .filter(
      (freeze) =>
        freeze.mode === 'ENFORCE' &&
        freeze.stops.includes(act) &&
        covers(freeze, place) &&
        isUnderWay(freeze, nowMs) &&
        !letPast(known, freeze, place, nowMs),
    )
    .toSorted((a, b) => endOf(b) - endOf(a))

const endOf = ({ period }: Freeze): number => Date.parse(period?.until ?? '')

/** The next moment at which something begins, ends or is no longer let past; undefined where none is known. */
export function nextTurn({ freezes, overrides }: Known, nowMs: number): number | undefined {
  const moments = [
    ...freezes.flatMap(({ period }) => (period ? [period.from, period.until] : [])),
    ...overrides.map(({ until }) => until),
  ]
  const later = moments.map((moment) => Date.parse(moment)).filter((at) => at > nowMs)
  return later.length === 0 ? undefined : Math.min(...later)
}

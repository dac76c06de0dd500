import type { FreezableOperation, Freeze, FreezeOverride } from '@sluice/contract'

/** Scope of a part of a page. */
export type FreezeScope = {
  projectId?: string | undefined
  environmentId?: string | undefined
  moduleInstanceId?: string | undefined
}

/** Active and upcoming freezes, and their overrides. */
export type FreezesAndOverrides = { freezes: readonly Freeze[]; overrides: readonly FreezeOverride[] }

const levels = ['projectId', 'environmentId', 'moduleInstanceId'] as const

/** Returns whether a freeze applies to a whole scope. */
export const coversScope = (freeze: FreezeScope, scope: FreezeScope): boolean =>
  levels.every((level) => freeze[level] === undefined || freeze[level] === scope[level])

/** Returns whether a freeze applies to at least a part of a scope. */
export const overlapsScope = (freeze: FreezeScope, scope: FreezeScope): boolean =>
  levels.every((level) => !freeze[level] || !scope[level] || freeze[level] === scope[level])

/** Uses the clock instead of the server's answer, which may be outdated. */
export const isActive = ({ period }: Pick<Freeze, 'period'>, nowMs: number): boolean =>
  period !== undefined && Date.parse(period.from) <= nowMs && nowMs < Date.parse(period.until)

/** Returns the override that applies to a whole scope. */
export const activeOverride = (
  { overrides }: FreezesAndOverrides,
  freeze: Freeze,
  { moduleInstanceId }: FreezeScope,
  nowMs: number,
): FreezeOverride | undefined =>
  overrides.find(
    (one) =>
      one.freezeId === freeze.id &&
      nowMs < Date.parse(one.until) &&
      (one.moduleInstanceId === undefined || one.moduleInstanceId === moduleInstanceId),
  )

/** Returns the freezes that block an action in a scope, the one that ends last first. */
export const blockingFreezes = (
  known: FreezesAndOverrides,
  act: FreezableOperation,
  scope: FreezeScope,
  nowMs: number,
): Freeze[] =>
  known.freezes
    .filter(
      (freeze) =>
        freeze.mode === 'ENFORCE' &&
        freeze.stops.includes(act) &&
        coversScope(freeze, scope) &&
        isActive(freeze, nowMs) &&
        !activeOverride(known, freeze, scope, nowMs),
    )
    .toSorted((a, b) => endOf(b) - endOf(a))

const endOf = ({ period }: Freeze): number => Date.parse(period?.until ?? '')

/** Returns the next time when a freeze starts or ends, or an override ends; undefined if there is none. */
export function nextChangeAt({ freezes, overrides }: FreezesAndOverrides, nowMs: number): number | undefined {
  const moments = [
    ...freezes.flatMap(({ period }) => (period ? [period.from, period.until] : [])),
    ...overrides.map(({ until }) => until),
  ]
  const later = moments.map((moment) => Date.parse(moment)).filter((at) => at > nowMs)
  return later.length === 0 ? undefined : Math.min(...later)
}

import type { FreezableOperation } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import { isActiveAt, periodAt } from '../../platform/time-windows.ts'
import { type Blocker, endOfFreeze, type LoadedGate, type Subject } from '../evaluate.ts'
import { covers, type Scope } from '../scope.ts'
import type { FreezeOverrideRow, FreezeRow } from './tables.ts'

type Rule = Pick<FreezeRow, 'id' | 'name' | 'reason' | 'window' | 'stops' | 'mode' | 'onRelease' | 'afterwards'> & Scope
type Override = Pick<FreezeOverrideRow, 'freezeId' | 'until'> & Scope

export type Freezes = { freezes: readonly Rule[]; overrides: readonly Override[] }

/** Action that a user or Sluice is about to take. */
export type FreezableAction = { act: FreezableOperation; place: Scope; now: Date }

/** Freeze that blocks an action, and its end. */
export type BlockingFreeze = { freezeId: string; name: string; reason: string | undefined; until: Date }

/** Block of an action, by the freeze that ends last. */
export type FreezeBlock = BlockingFreeze & {
  /** Whether the action is rejected instead of waiting. */
  isRefused: boolean
  /** Whether only the newest of the waiting deployments starts afterwards. */
  keepsNewest: boolean
}

/** Returns what blocks an action, or undefined. */
export function findBlock(known: Freezes, intent: FreezableAction): FreezeBlock | undefined {
  const found = applying(known, intent, 'ENFORCE')
  const last = found.toSorted((a, b) => b.stop.until.getTime() - a.stop.until.getTime())[0]
  if (!last) return undefined
  return {
    ...last.stop,
    isRefused: found.some(({ rule }) => rule.onRelease === 'REJECT'),
    keepsNewest: found.some(({ rule }) => rule.afterwards === 'NEWEST'),
  }
}

/** Returns the freezes that would block an action if they did more than warn. */
export const findWarnings = (known: Freezes, intent: FreezableAction): BlockingFreeze[] =>
  applying(known, intent, 'WARN').map(({ stop }) => stop)

function applying({ freezes, overrides }: Freezes, { act, place, now }: FreezableAction, mode: Rule['mode']) {
  return freezes.flatMap((rule) => {
    if (rule.mode !== mode || !rule.stops.includes(act) || !covers(rule, place)) return []
    const period = periodAt(rule.window, now)
    if (!period || !isActiveAt(period, now)) return []
    const isLetPast = overrides.some((one) => one.freezeId === rule.id && now < one.until && covers(one, place))
    const { id, name, reason } = rule
    return isLetPast ? [] : [{ rule, stop: { freezeId: id, name, reason: reason ?? undefined, until: period.until } }]
  })
}

/**
 * Release gate for freezes. A release waits for the end of a freeze; actions that cannot wait are denied, and releases
 * if the freeze says so.
 */
export const freezeGate = (known: Freezes): LoadedGate => ({
  blocker(subject, now) {
    const intent = intentOf(subject, now)
    const stop = intent && findBlock(known, intent)
    return stop && blockedBy(stop, subject)
  },
  warnings({ moment, ...subject }, now) {
    const intent = moment === 'REQUEST' ? undefined : intentOf(subject, now)
    return (intent ? findWarnings(known, intent) : []).map(({ freezeId, name }) => ({
      rules: 'freezes',
      resourceType: 'freeze',
      resourceId: freezeId,
      details: { name, act: intent?.act },
    }))
  },
})

const intentOf = (
  { action: act, scope: place }: Pick<Subject, 'action' | 'scope'>,
  now: Date,
): FreezableAction | undefined => act && { act, place, now }

function blockedBy(stop: FreezeBlock, { moment, action, hasNewerQueued }: Subject): Blocker | undefined {
  const { freezeId, name, reason, until } = stop
  const metadata = present({ freezeId, name, reason, until: until.toISOString() })
  if (moment === 'CONTINUE' || (moment === 'REQUEST' && stop.isRefused)) {
    const description = `Wait until then. ${remedyFor(stop)}`
    const message = `Stopped by ${messageFor(stop)}.`
    return { decision: 'deny', gate: 'FREEZE', key: 'frozen', message, description, metadata, stops: [] }
  }
  if (moment === 'REQUEST') return undefined
  const reasonOf = { gate: 'FREEZE', message: `Waits for the end of ${messageFor(stop)}`, metadata } as const
  if (stop.keepsNewest && hasNewerQueued && action === 'RELEASES') return { decision: 'cancel', ...reasonOf }
  return { decision: 'wait', ...reasonOf, description: remedyFor(stop), until, waitingFor: endOfFreeze }
}

/** Returns the message about a freeze. */
export const messageFor = ({ name, reason, until }: BlockingFreeze): string =>
  `the freeze “${name}”, until ${until.toISOString()}${reason === undefined ? '' : `: ${reason}`}`

/** Returns the remedy for a user whose action is blocked. */
export const remedyFor = ({ freezeId }: Pick<BlockingFreeze, 'freezeId'>): string =>
  `Users with the permission freezes:override, such as admins and owners, can override it: POST /freezes/${freezeId}/overrides.`

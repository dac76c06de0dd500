import type { ServiceOnward } from '@sluice/contract'
import { duration } from '../ui/time.tsx'

/** Describes whether a release can be promoted; undefined if the next environment already had it or has a newer one. */
export function describePromotion({ obstacle, until }: ServiceOnward, to: string, now: number): string | undefined {
  switch (obstacle) {
    case undefined:
      return `Promotes to ${to} automatically`
    case 'MANUAL':
      return `Ready for ${to}`
    case 'SOAKING':
      return until === undefined ? `Soaking for ${to}` : `${to} in ${duration(Date.parse(until) - now)}`
    case 'WAS_THERE':
    case 'NEWER_THERE':
      return undefined
    default:
      return `Blocked for ${to}: ${blockerLabels[obstacle]}`
  }
}

const blockerLabels = {
  NOT_LIVE: 'not live here',
  OUTSIDE: 'external deployment',
  ROLLBACK: 'is a rollback',
  TURNED_BACK_THERE: 'rolled back there',
  OUT_OF_ORDER: 'out of order',
  TURNING_BACK: 'rolling back here',
  FAILED: 'failed here',
  UNHEALTHY: 'unhealthy',
  UNKNOWN_HEALTH: 'health unknown',
  WARNS: 'rule only warns',
  UNDER_WAY: 'deployment in progress there',
  HELD: 'held there',
  FROZEN: 'frozen there',
  NO_RIGHT: 'permission denied',
  REFUSED: 'rejected',
  REPLACED: 'superseded',
} as const satisfies Record<
  Exclude<NonNullable<ServiceOnward['obstacle']>, 'MANUAL' | 'SOAKING' | 'WAS_THERE' | 'NEWER_THERE'>,
  string
>

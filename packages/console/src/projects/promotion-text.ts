import type { ServicePromotionCandidate } from '@sluice/contract'
import { duration } from '../ui/time.tsx'

/** Describes whether a release can be promoted; undefined if the next environment already had it or has a newer one. */
export function describePromotion(
  { blocker, until }: ServicePromotionCandidate,
  to: string,
  now: number,
): string | undefined {
  switch (blocker) {
    case undefined:
      return `Promotes to ${to} automatically`
    case 'MANUAL':
      return `Ready for ${to}`
    case 'SOAKING':
      return until === undefined ? `Soaking for ${to}` : `${to} in ${duration(Date.parse(until) - now)}`
    case 'ALREADY_RELEASED':
    case 'NEWER_IN_TARGET':
      return undefined
    default:
      return `Blocked for ${to}: ${blockerLabels[blocker]}`
  }
}

const blockerLabels = {
  NOT_LIVE: 'not live here',
  EXTERNAL_DEPLOYMENT: 'external deployment',
  ROLLBACK: 'is a rollback',
  ROLLED_BACK_IN_TARGET: 'rolled back there',
  OUT_OF_ORDER: 'out of order',
  ROLLING_BACK: 'rolling back here',
  FAILED: 'failed here',
  UNHEALTHY: 'unhealthy',
  UNKNOWN_HEALTH: 'health unknown',
  WARNING: 'rule only warns',
  IN_PROGRESS: 'deployment in progress there',
  HELD: 'held there',
  FROZEN: 'frozen there',
  PERMISSION_DENIED: 'permission denied',
  DENIED: 'rejected',
  REPLACED: 'superseded',
} as const satisfies Record<
  Exclude<
    NonNullable<ServicePromotionCandidate['blocker']>,
    'MANUAL' | 'SOAKING' | 'ALREADY_RELEASED' | 'NEWER_IN_TARGET'
  >,
  string
>

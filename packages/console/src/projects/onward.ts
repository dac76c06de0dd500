import type { ServiceOnward } from '@sluice/contract'
import { duration } from '../ui/time.tsx'

/** What people read of whether a release could go on; undefined where it has been there, or something newer is. */
export function onwardInWords({ obstacle, until }: ServiceOnward, to: string, now: number): string | undefined {
  switch (obstacle) {
    case undefined:
      return `Goes to ${to} by itself`
    case 'MANUAL':
      return `Ready for ${to}`
    case 'SOAKING':
      return until === undefined ? `Soaks for ${to}` : `${to} in ${duration(Date.parse(until) - now)}`
    case 'WAS_THERE':
    case 'NEWER_THERE':
      return undefined
    default:
      return `Not to ${to}: ${reasons[obstacle]}`
  }
}

const reasons = {
  NOT_LIVE: 'not live here',
  OUTSIDE: 'released elsewhere',
  ROLLBACK: 'rolled back to',
  TURNED_BACK_THERE: 'turned back there',
  OUT_OF_ORDER: 'out of order',
  TURNING_BACK: 'turning back here',
  FAILED: 'failed here',
  UNHEALTHY: 'not healthy',
  UNKNOWN_HEALTH: 'health not known',
  WARNS: 'the rule only warns',
  UNDER_WAY: 'busy there',
  HELD: 'held there',
  FROZEN: 'frozen there',
  NO_RIGHT: 'writer of the rule may not',
  REFUSED: 'refused',
  REPLACED: 'replaced',
} as const satisfies Record<
  Exclude<NonNullable<ServiceOnward['obstacle']>, 'MANUAL' | 'SOAKING' | 'WAS_THERE' | 'NEWER_THERE'>,
  string
>

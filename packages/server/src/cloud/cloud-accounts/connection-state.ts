import { failures, type UserFacingError } from '@sluice/contract'
import type { ConnectionCheck } from '../adapter/connection-check.ts'
import { roleTags } from './role-version.ts'
import type { CloudAccountRow, CloudConnectionRow } from './tables.ts'

/** Persisted state of a connection. */
export type ConnectionState = Pick<CloudAccountRow, 'status' | 'roleVersion' | 'cfnStackId'> &
  Pick<CloudConnectionRow, 'refusals' | 'error' | 'checkAt'>

/** Result of a check. `trouble` means that the cloud could not be reached, which does not count against the account. */
export type CheckOutcome = ConnectionCheck | { verdict: 'trouble'; message: string }

/** Interval between checks of a healthy connection, in milliseconds. */
export const checkEveryMs = 10 * 60_000
/** Interval between checks of a failing connection, in milliseconds. */
const againMs = 60_000
/**
 * Number of consecutive denials before the account counts as disconnected, because changes to a role take seconds to
 * propagate.
 */
const patience = 2

/** Returns the connection state after a check. `chance`, from 0 to 1, spreads the checks of many accounts. */
export function afterCheck(
  before: ConnectionState & { cloudArn: string },
  outcome: CheckOutcome,
  now: Date,
  chance: number,
): ConnectionState {
  const inMs = (ms: number) => new Date(now.getTime() + ms * (0.8 + 0.2 * chance))
  const { status, refusals, roleVersion, cfnStackId } = before
  switch (outcome.verdict) {
    case 'open': {
      const { tags } = outcome
      const tagged = {
        roleVersion: tags?.[roleTags.version] ?? null,
        cfnStackId: tags?.[roleTags.stack] ?? null,
      }
      return { status: 'CONNECTED', refusals: 0, error: null, checkAt: inMs(checkEveryMs), ...tagged }
    }
    case 'trouble':
      return { status, refusals, error: uncheckable(outcome), checkAt: inMs(againMs), roleVersion, cfnStackId }
    case 'refused': {
      const isSure = refusals + 1 >= patience
      return {
        status: isSure ? statusOf(outcome.reason) : status,
        refusals: refusals + 1,
        error: refused(before.cloudArn, outcome),
        checkAt: inMs(Math.min(checkEveryMs, againMs * (refusals + 1))),
        roleVersion,
        cfnStackId,
      }
    }
  }
}

/** Returns DISCONNECTED if the role can no longer be assumed, or ERROR for any other failure. */
const statusOf = (reason: string): 'ERROR' | 'DISCONNECTED' => (reason === 'AccessDenied' ? 'DISCONNECTED' : 'ERROR')

const uncheckable = ({ message }: { message: string }): UserFacingError => ({
  code: failures.cloudConnectionUnchecked.code,
  message: `The connection could not be checked; it is tried again. ${message}`,
})

function refused(roleArn: string, { reason, message }: { reason: string; message: string }): UserFacingError {
  if (reason === 'RegionDisabledException') return { code: failures.cloudRegionDisabled.code, message }
  if (statusOf(reason) === 'ERROR') {
    const text = `The role ${roleArn} cannot be used. The cloud says: ${reason}: ${message}`
    return { code: failures.cloudConnectionRefused.code, message: text }
  }
  return {
    code: failures.cloudConnectionRefused.code,
    message: `The role ${roleArn} can no longer be assumed. The cloud responded: ${message}`,
    description:
      'It was deleted, or its trust policy changed. Create it again from the connection link and connect it; a role that ' +
      'is restored is found automatically.',
  }
}

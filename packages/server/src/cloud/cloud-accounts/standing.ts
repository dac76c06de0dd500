import { failures, type UserFacingError } from '@sluice/contract'
import type { ConnectionCheck } from '../adapter/connection-check.ts'
import { roleTags } from './role-version.ts'
import type { CloudAccountRow, CloudConnectionRow } from './tables.ts'

/** How it stands with a connection. */
export type Standing = Pick<CloudAccountRow, 'status' | 'roleVersion' | 'cfnStackId'> &
  Pick<CloudConnectionRow, 'refusals' | 'error' | 'checkAt'>

/** What a check came to; `trouble`: the cloud could not be asked, which is no fault of the account. */
export type CheckOutcome = ConnectionCheck | { verdict: 'trouble'; message: string }

/** How often a connection that is well is checked. Milliseconds. */
export const checkEveryMs = 10 * 60_000
/** How soon one is that is not, so that it is back soon after it was mended. Milliseconds. */
const againMs = 60_000
/** A role that was changed is known everywhere only after some seconds, so one refusal says nothing yet. */
const patience = 2

/** Where a connection stands after a check. `chance`, from 0 to 1, keeps those of many from falling into step. */
export function afterCheck(
  before: Standing & { cloudArn: string },
  outcome: CheckOutcome,
  now: Date,
  chance: number,
): Standing {
  const inMs = (ms: number) => new Date(now.getTime() + ms * (0.8 + 0.2 * chance))
  const { status, refusals, roleVersion, cfnStackId } = before
  switch (outcome.verdict) {
    case 'open': {
      const { tags } = outcome
      const told = {
        roleVersion: tags?.[roleTags.version] ?? null,
        cfnStackId: tags?.[roleTags.stack] ?? null,
      }
      return { status: 'CONNECTED', refusals: 0, error: null, checkAt: inMs(checkEveryMs), ...told }
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

/** Whoever may not assume the role any more was shut out; with anything else something is wrong that is told. */
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
    message: `The role ${roleArn} cannot be assumed any more. The cloud says: ${message}`,
    description:
      'It was deleted, or its trust policy changed. Make it anew from the connection link and connect it; a role that ' +
      'is as it was is found by itself.',
  }
}

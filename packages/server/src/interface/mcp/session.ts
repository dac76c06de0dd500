import { userAgentOf } from '@sluice/mcp/agent'
import manifest from '../../../package.json' with { type: 'json' }
import type { Caller } from '../../platform/auth/caller.ts'
import { isSigned, type Secrets, sign } from '../../platform/crypto/keys.ts'

export const { version } = manifest

type Holder = Pick<Caller, 'organizationId' | 'membershipId'>
type Program = Parameters<typeof userAgentOf>[1]

/**
 * Creates sessions, which only contain the name of the agent's program. The name is in the signed session id, so that
 * nothing is stored; a session is valid only for its member or service account.
 */
export function createAgentSessions(secrets: Secrets) {
  const textOf = ({ organizationId, membershipId }: Holder, name: string) =>
    JSON.stringify([organizationId, membershipId, name])
  return {
    begin(holder: Holder, program: Program): { id: string; userAgent: string } {
      const userAgent = userAgentOf(version, program)
      const name = Buffer.from(userAgent).toString('base64url')
      return { id: `${name}.${sign(secrets, textOf(holder, name)).toString('base64url')}`, userAgent }
    },
    /** Returns the name of the program; undefined if the session is invalid for the holder. */
    find(holder: Holder, id: string): string | undefined {
      const [name = '', signature = ''] = id.split('.')
      if (!isSigned(secrets, textOf(holder, name), Buffer.from(signature, 'base64url'))) return undefined
      return Buffer.from(name, 'base64url').toString()
    },
  }
}

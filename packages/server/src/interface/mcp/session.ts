import { userAgentOf } from '@sluice/mcp/agent'
import manifest from '../../../package.json' with { type: 'json' }
import type { Caller } from '../../platform/auth/caller.ts'
import { isSigned, type Secrets, sign } from '../../platform/crypto/keys.ts'

export const { version } = manifest

type Holder = Pick<Caller, 'organizationId' | 'membershipId'>
type Program = Parameters<typeof userAgentOf>[1]

/**
 * An agent's program says once what it is called, when it begins. That is all there is to a session, so it is in its id
 * and no process keeps any: signed, and for nobody but the member or the service account that began it.
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
    /** What the program is called; undefined where the holder has no such session. */
    find(holder: Holder, id: string): string | undefined {
      const [name = '', signature = ''] = id.split('.')
      if (!isSigned(secrets, textOf(holder, name), Buffer.from(signature, 'base64url'))) return undefined
      return Buffer.from(name, 'base64url').toString()
    },
  }
}

import { type JWTPayload, jwtVerify } from 'jose'
import { hashOf } from '../../platform/auth/token.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { serviceAuthor } from '../audit-events/author.ts'
import { recordChange } from '../audit-events/record.ts'
import { claimsFault, clockTolerance } from '../id-tokens/claims.ts'
import type { KeysOf } from '../id-tokens/issuer-keys.ts'
import { algorithms, IssuerUnreachable } from '../id-tokens/verify.ts'
import type { Provider } from './provider.ts'
import { markUsed, removeSessionsOf } from './store.ts'

/** Event that identifies a logout token (OpenID Connect Back-Channel Logout 1.0, 2.4). */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/** Maximum age of a logout token, in seconds. Used tokens are remembered for this time. */
const maxAgeS = 600

type Parts = { db: Db; keysOf: KeysOf; clock: () => Date }

/** Ends the sessions that a logout token names and marks the token as used, in one transaction. */
export async function signOutBy({ db, keysOf, clock }: Parts, provider: Provider, token: string): Promise<void> {
  const now = clock()
  const { jti, sub, sid } = await verify(keysOf, { provider, token, now })
  await db.transaction(async (tx) => {
    const rememberUntil = new Date(now.getTime() + (maxAgeS + 2 * clockTolerance) * 1_000)
    if (!(await markUsed(tx, `logout ${provider.id} ${hashOf(jti)}`, rememberUntil))) throw invalid('it came before')
    const ended = await removeSessionsOf(tx, provider, { subject: sub, sid })
    for (const { id, organizationId } of ended) {
      const change = { action: 'sessions.delete', resourceType: 'session', resourceId: id }
      const details = { identityProviderId: provider.id }
      await recordChange(tx, serviceAuthor(organizationId, 'WEBHOOK'), { ...change, details })
    }
  })
}

type Verifying = { provider: Provider; token: string; now: Date }
type Word = { jti: string; sub: string | undefined; sid: string | undefined }

async function verify(keysOf: KeysOf, { provider, token, now }: Verifying): Promise<Word> {
  const { issuer, clientId: audience } = provider
  const keys = await keysOf(issuer).catch((cause: Error) => {
    throw new IssuerUnreachable(cause.message, { cause })
  })
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience,
    algorithms,
    clockTolerance,
    maxTokenAge: maxAgeS,
    currentDate: now,
    requiredClaims: ['iat', 'jti', 'events'],
  }).catch((error: Error) => {
    throw invalid(error.message)
  })
  const { typ = 'logout+jwt' } = protectedHeader
  if (!['logout+jwt', 'jwt'].includes(typ.toLowerCase())) throw invalid(`it is of the type ${typ}`)
  const fault = claimsFault(payload, now)
  if (fault !== undefined) throw invalid(fault)
  return wordIn(payload)
}

function wordIn({ jti, sub, sid, nonce, events }: JWTPayload): Word {
  if (nonce !== undefined) throw invalid('it has a nonce, as only ID tokens do')
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, logoutEvent)) {
    throw invalid('it is about something else')
  }
  if (jti === undefined) throw invalid('it has no jti')
  const session = typeof sid === 'string' ? sid : undefined
  if (sub === undefined && session === undefined) throw invalid('it names neither a person nor a session')
  return { jti, sub, sid: session }
}

const invalid = (why: string) => new ApiError('logoutTokenRefused', `No session was ended: ${why}.`)

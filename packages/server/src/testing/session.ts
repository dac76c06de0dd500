import { csrfHeader } from '@sluice/contract'
import { identities } from '../identity/organizations/tables.ts'
import { insertSession } from '../identity/sessions/store.ts'
import { newSessionToken } from '../platform/auth/session-cookie.ts'
import { hashOf } from '../platform/auth/token.ts'
import type { Db } from '../platform/db/open.ts'
import { newId } from '../platform/ids.ts'
import { Client } from './client.ts'
import { defaultSessionLife } from './http-world.ts'

type Member = { organizationId: string; membershipId: string; userId: string }

/** Signs a member in and returns the session cookie. */
export async function signIn(db: Db, { organizationId, membershipId, userId }: Member): Promise<string> {
  const [identityId, token] = [newId('idn'), newSessionToken()]
  const identity = { id: identityId, userId, type: 'EMAIL_PASSWORD', passwordHash: 'none' } as const
  await db.insert(identities).values(identity)
  const session = { organizationId, membershipId, identityId, tokenHash: hashOf(token) }
  await insertSession(
    db,
    { ...session, ipAddress: '127.0.0.1', userAgent: undefined, providerSessionId: undefined },
    defaultSessionLife,
  )
  return `sluice_session=${token}`
}

/** Starts an authorization flow in a browser and returns the URL at the Git host. */
export async function beginAtHost(
  { url, cookie }: { url: string; cookie: string },
  path: '/githosta-installations/claim' | '/githostb-connections',
  data: object = {},
): Promise<string> {
  const headers = { cookie, [csrfHeader]: '1' }
  const { status, body } = await new Client(url, '').send('POST', path, { json: JSON.stringify({ data }), headers })
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return (body as { data: { url: string } }).data.url
}

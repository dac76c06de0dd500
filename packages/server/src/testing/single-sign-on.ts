import { createHash } from 'node:crypto'
import { signInDomains } from '../identity/sign-in-domains/tables.ts'
import { newId } from '../platform/ids.ts'
import { Client } from './client.ts'
import { type SeededOrganization, seedOrganization, type startHttpWorld } from './http-world.ts'
import { startIssuer } from './issuer.ts'

type World = Awaited<ReturnType<typeof startHttpWorld>>

export const clientId = 'sluice'

/** Claims of a user who may sign in. */
export const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada', groups: ['everybody'] }

export type Provided = SeededOrganization & {
  client: Client
  providerId: string
  issuer: Awaited<ReturnType<typeof startIssuer>>
  domain: string
}

/** Creates an organization with a verified domain and an identity provider for it. */
export async function organizationWithProvider(world: World, change: Record<string, unknown> = {}): Promise<Provided> {
  const issuer = await startIssuer()
  const owner = await seedOrganization(world.db)
  const client = new Client(world.url, owner.key)
  const domain = `${newId('req').replace('_', '-')}.example`
  const { organizationId } = owner
  const proven = { domain, challenge: 'proven', verifiedAt: new Date() }
  await world.db.insert(signInDomains).values({ id: newId('sid'), organizationId, ...proven })
  const groupRoles = [
    { group: 'ops', role: 'ADMIN' },
    { group: 'everybody', role: 'VIEWER' },
  ]
  const data = { name: 'Id', issuer: issuer.url, clientId, clientSecret: 'secret', groupRoles, ...change }
  const { id: providerId } = await client.done<{ id: string }>('POST', '/identity-providers', { data })
  return { ...owner, client, providerId, issuer, domain }
}

const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')

/** Starts a sign-in in a browser. */
export async function begin(world: World, data: object) {
  const { status, body, headers } = await world.ask('/auth/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ data }),
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
  const url = new URL(body.data.url)
  const asked = Object.fromEntries(url.searchParams)
  return { url, asked, cookie: cookiesOf(headers) }
}

type Begun = Awaited<ReturnType<typeof begin>>

/** Opens the callback URL to which the provider redirects. */
export async function openCallback(
  world: World,
  { asked, cookie }: Pick<Begun, 'asked' | 'cookie'>,
  query: Record<string, string>,
) {
  const path = new URL(asked.redirect_uri ?? '').pathname
  const { status, headers } = await world.ask(`${path}?${new URLSearchParams(query)}`, {
    redirect: 'manual',
    headers: { cookie },
  })
  const session = headers.getSetCookie().find((one) => /^sluice_session=sls_/.test(one))
  const location = headers.get('location') ?? ''
  return {
    status,
    location,
    refused: new URL(location, world.url).searchParams.get('refused') ?? undefined,
    cookie: session?.split(';', 1)[0],
  }
}

/** Runs a whole sign-in of a user with these claims. */
export async function signIn(
  world: World,
  { issuer, organizationId }: Provided,
  said: Record<string, unknown>,
  header = {},
) {
  const begun = await begin(world, { organization: organizationId })
  issuer.onCode(async (form) => {
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (challenge !== begun.asked.code_challenge) throw new Error('the code is of another browser')
    const claims = { aud: clientId, nonce: begun.asked.nonce, ...said }
    return { access_token: 'x', token_type: 'bearer', id_token: await issuer.sign(claims, header) }
  })
  return openCallback(world, begun, { code: 'code', state: begun.asked.state ?? '', iss: issuer.url })
}

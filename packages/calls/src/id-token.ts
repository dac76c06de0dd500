// biome-ignore-all lint/style/noRestrictedGlobals: the issuer is the CI system whose job this is, and says its address itself.
import { type Client, createClient } from '@sluice/client'
import { UsageError } from './usage-error.ts'

/** Time before expiry at which a token is replaced, in milliseconds. */
const spareMs = 60_000

type Signing = { baseUrl: string; serviceAccountId: string; userAgent: string; fetch: typeof fetch }

/**
 * Returns a `fetch` that signs in a service account with the CI system's ID token, at the first call and before each
 * expiry.
 */
export function createIdTokenFetch({ baseUrl, serviceAccountId, userAgent, fetch: send }: Signing): typeof fetch {
  const stranger: Client = createClient({ baseUrl, userAgent, fetch: send })
  let given: Promise<{ token: string; expiresAt: string }> | undefined
  const signIn = async () => {
    const idToken = await findIdToken(process.env.SLUICE_ID_TOKEN_AUDIENCE ?? baseUrl)
    const { data } = await stranger.exchangeIdToken({ body: { data: { serviceAccountId, idToken } } })
    return data
  }
  return async (input, init) => {
    const known = await given
    if (!known || Date.parse(known.expiresAt) < Date.now() + spareMs) {
      given = signIn()
      given.catch(() => (given = undefined)) // the next call tries again
    }
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${(await given)?.token}`)
    return send(input, { ...init, headers })
  }
}

/**
 * Returns the job's ID token. GitHub Actions issues one on request with `id-token: write`; other systems provide a
 * variable.
 */
async function findIdToken(audience: string): Promise<string> {
  const { SLUICE_ID_TOKEN, ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret } = process.env
  if (SLUICE_ID_TOKEN) return SLUICE_ID_TOKEN
  if (!url || !secret) throw new UsageError(noToken)
  const address = new URL(url)
  address.searchParams.set('audience', audience)
  const answer = await fetch(address, { headers: { authorization: `Bearer ${secret}` } })
  const body: unknown = answer.ok ? await answer.json() : undefined
  const value: unknown = Reflect.get(Object(body), 'value')
  if (typeof value !== 'string') throw new Error(`${address.host} gave no ID token: it answered ${answer.status}.`)
  return value
}

const noToken =
  'SLUICE_SERVICE_ACCOUNT signs in by a token of CI, and there is none: set SLUICE_ID_TOKEN, or in GitHub Actions give the job `permissions: id-token: write`.'

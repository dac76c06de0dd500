// biome-ignore-all lint/style/noRestrictedGlobals: the service is the one that the user names.

import { createIdTokenFetch } from '@sluice/calls/id-token'
import { UsageError } from '@sluice/calls/usage-error'
import { type Client, type ClientOptions, createClient, type Retry } from '@sluice/client'
import { loginFor, tokenOf } from './sign-in/logins.ts'

/** Option with the service's URL, which all calling commands have. */
export type UrlOption = { url?: string }

/** Default URL of the service. */
export const defaultUrl = 'http://127.0.0.1:4600'

/** User agent of the command line, by which the audit log identifies it. */
export const cliUserAgent = 'sluice-cli'

/**
 * Returns a client with the key in SLUICE_TOKEN or from `sluice login`. There is no flag for keys, because other
 * processes can read command lines. CI jobs need no key if a service account trusts the CI system.
 */
export const connect = (where: UrlOption, userAgent: string = cliUserAgent): Client =>
  createClient(connectionTo(where, userAgent))

/** Returns the client options, for requests outside the client. */
export const connectionTo = (where: UrlOption, userAgent: string = cliUserAgent): ClientOptions => ({
  userAgent,
  retry: defaultRetry,
  ...signedIn(where, userAgent),
})

/** Returns the URL of the service without trailing slash. */
export const serviceAt = (where: UrlOption): string => signedIn(where, cliUserAgent).baseUrl

/** Retries short failures, but reports a wrong address soon. */
const defaultRetry: Retry = { forMs: 3_000 }

/** Disables retries, for commands that poll anyway. */
export const noRetry = { retry: false } as const

/**
 * Returns the URL and credentials: the key, a token exchanged for the CI system's ID token, or a login if the
 * environment has neither.
 */
function signedIn({ url }: UrlOption, userAgent: string): SignedIn {
  const { SLUICE_TOKEN: token, SLUICE_SERVICE_ACCOUNT: serviceAccountId } = process.env
  const baseUrl = addressOf(url ?? defaultUrl)
  if (token) return { baseUrl, fetch: fetchWithErrorReason, token }
  if (serviceAccountId)
    return { baseUrl, fetch: createIdTokenFetch({ baseUrl, userAgent, fetch: fetchWithErrorReason, serviceAccountId }) }
  const login = loginFor(url === undefined ? undefined : baseUrl)
  if (login) return { baseUrl: login.url, fetch: fetchWithErrorReason, token: tokenOf(login) }
  throw new UsageError('Who calls? sluice login, or set SLUICE_TOKEN to an API key, or in CI SLUICE_SERVICE_ACCOUNT.')
}

type SignedIn = Pick<ClientOptions, 'fetch' | 'token'> & { baseUrl: string }

export function addressOf(url: string): string {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError(
      `${url} is not an address such as https://sluice.example. SLUICE_URL or --url says where it is.`,
    )
  }
  return url.replace(/\/+$/, '')
}

/** Error for a request without a response, so that it is unknown whether the request arrived. */
export class NoResponse extends TypeError {
  override readonly name = 'NoResponse'
}

/** Adds the reason to `fetch`'s error, which is only "fetch failed". */
export const fetchWithErrorReason: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init)
  } catch (cause) {
    const why = reasonOf(cause)
    throw new NoResponse(
      `Nothing answers at ${new URL(String(input)).origin}${why && ` (${why})`}. Does the service run? SLUICE_URL or --url says where it is.`,
      { cause },
    )
  }
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? ''
}

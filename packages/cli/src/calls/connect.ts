import { ApiError, type Client, createClient } from '@sluice/client'
import type { UserFacingError } from '@sluice/contract'
import { CalledWrongly } from '../end-with.ts'
import { fetchSignedIn } from './id-token.ts'

/** Where the service is; every command that calls it takes this. */
export type Where = { url: string }

const commandLine = 'sluice-cli'

/**
 * A client of the service with the key in SLUICE_TOKEN, not from a flag: what is typed is seen by other processes. A
 * job of CI needs no key where its service account trusts the CI system.
 */
export function connect({ url }: Where, userAgent: string = commandLine): Client {
  const { fetch, token } = signedIn(url, userAgent)
  return createClient({ baseUrl: addressOf(url), userAgent, fetch, ...(token !== undefined && { token }) })
}

/** An answer that is read as it comes. */
export async function ask({ url }: Where, path: string): Promise<Response> {
  const { fetch, token } = signedIn(url, commandLine)
  const headers = { 'user-agent': commandLine, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const response = await fetch(addressOf(url) + path, { headers })
  if (!response.ok) throw new ApiError(response.status, (await response.json()) as UserFacingError)
  return response
}

/** How a request says who calls: by the key, or by what a service account is given for the CI system's word. */
function signedIn(url: string, userAgent: string): { fetch: typeof fetch; token?: string } {
  const { SLUICE_TOKEN: token, SLUICE_SERVICE_ACCOUNT: serviceAccountId } = process.env
  if (token) return { fetch: reach, token }
  const who = { baseUrl: addressOf(url), userAgent, fetch: reach }
  if (serviceAccountId) return { fetch: fetchSignedIn({ ...who, serviceAccountId }) }
  throw new CalledWrongly('Who calls? Set SLUICE_TOKEN to an API key, or in CI SLUICE_SERVICE_ACCOUNT.')
}

function addressOf(url: string): string {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new CalledWrongly(
      `${url} is not an address such as https://sluice.example. SLUICE_URL or --url says where it is.`,
    )
  }
  return url.replace(/\/+$/, '')
}

/** Nothing answered: nobody knows whether the request arrived. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/** What `fetch` itself says is no more than "fetch failed". */
const reach: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init)
  } catch (cause) {
    const why = reasonOf(cause)
    throw new NoAnswer(
      `Nothing answers at ${new URL(String(input)).origin}${why && ` (${why})`}. Does the service run? SLUICE_URL or --url says where it is.`,
      { cause },
    )
  }
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? ''
}

export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404

import { ApiError, type Client, createClient } from '@sluice/client'
import { CalledWrongly } from '../end-with.ts'
import { fetchSignedIn } from './id-token.ts'

/** Where the service is; every command that calls it takes this. */
export type Where = { url: string }

/**
 * A client of the service with the key in SLUICE_TOKEN, not from a flag: what is typed is seen by other processes. A
 * job of CI needs no key where its service account trusts the CI system.
 */
export function connect({ url }: Where): Client {
  const { SLUICE_TOKEN: token, SLUICE_SERVICE_ACCOUNT: serviceAccountId } = process.env
  const who = { baseUrl: addressOf(url), userAgent: 'sluice-cli', fetch: reach }
  if (token) return createClient({ ...who, token })
  if (serviceAccountId) return createClient({ ...who, fetch: fetchSignedIn({ ...who, serviceAccountId }) })
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

import { ApiError, type Client, createClient } from '@sluice/client'
import { CalledWrongly } from '../end-with.ts'

/** Where the service is; every command that calls it takes this. */
export type Where = { url: string }

/** A client of the service with the key in SLUICE_TOKEN, not from a flag: what is typed is seen by other processes. */
export function connect({ url }: Where): Client {
  const token = process.env.SLUICE_TOKEN
  if (!token) throw new CalledWrongly('Who calls? Set SLUICE_TOKEN to an API key.')
  return createClient({ baseUrl: addressOf(url), token, userAgent: 'sluice-cli', fetch: reach })
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

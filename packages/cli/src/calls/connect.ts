// biome-ignore-all lint/style/noRestrictedGlobals: the service is the one that the user names.
import { CalledWrongly } from '@sluice/calls/called-wrongly'
import { fetchSignedIn } from '@sluice/calls/id-token'
import { type Client, type ClientOptions, createClient, type Retry } from '@sluice/client'
import { loginFor, tokenOf } from './sign-in/logins.ts'

/** Where the service is; every command that calls it takes this. */
export type Where = { url?: string }

/** Where the service is if nobody says so. */
export const usualUrl = 'http://127.0.0.1:4600'

/** What we call ourselves: by that the audit log knows what a request was made with. */
export const commandLine = 'sluice-cli'

/**
 * A client of the service with the key in SLUICE_TOKEN or of `sluice login`, not from a flag: what is typed is seen by
 * other processes. A job of CI needs no key where its service account trusts the CI system.
 */
export const connect = (where: Where, userAgent: string = commandLine): Client =>
  createClient(connectionTo(where, userAgent))

/** The same for what is no call of the client. */
export const connectionTo = (where: Where, userAgent: string = commandLine): ClientOptions => ({
  userAgent,
  retry: usualPatience,
  ...signedIn(where, userAgent),
})

/** Where the service is that is called, without a stroke at the end. */
export const serviceAt = (where: Where): string => signedIn(where, commandLine).baseUrl

/** Somebody waits for the answer: a hiccup passes, and a wrong address is told soon. */
const usualPatience: Retry = { forMs: 3_000 }

/** For calls of those who watch, which try again themselves. */
export const once = { retry: false } as const

/**
 * Where the service is and how a request says who calls: by the key, by what a service account is given for the CI
 * system's word, or by a login, which counts only where the environment names neither.
 */
function signedIn({ url }: Where, userAgent: string): SignedIn {
  const { SLUICE_TOKEN: token, SLUICE_SERVICE_ACCOUNT: serviceAccountId } = process.env
  const baseUrl = addressOf(url ?? usualUrl)
  if (token) return { baseUrl, fetch: reach, token }
  if (serviceAccountId) return { baseUrl, fetch: fetchSignedIn({ baseUrl, userAgent, fetch: reach, serviceAccountId }) }
  const login = loginFor(url === undefined ? undefined : baseUrl)
  if (login) return { baseUrl: login.url, fetch: reach, token: tokenOf(login) }
  throw new CalledWrongly(
    'Who calls? sluice login, or set SLUICE_TOKEN to an API key, or in CI SLUICE_SERVICE_ACCOUNT.',
  )
}

type SignedIn = Pick<ClientOptions, 'fetch' | 'token'> & { baseUrl: string }

export function addressOf(url: string): string {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new CalledWrongly(
      `${url} is not an address such as https://sluice.example. SLUICE_URL or --url says where it is.`,
    )
  }
  return url.replace(/\/+$/, '')
}

/** What `fetch` throws, in more words: nothing answered, and nobody knows whether the request arrived. */
export class NoAnswer extends TypeError {
  override readonly name = 'NoAnswer'
}

/** What `fetch` itself says is no more than "fetch failed". */
export const reach: typeof fetch = async (input, init) => {
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

import { isIPv6 } from 'node:net'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { type Clock, systemClock } from '../clock.ts'
import { ApiError } from '../http/api-error.ts'

/** Maximum number of failures within a period. */
export interface AttemptLimit {
  failures: number
  withinSeconds: number
}

export type AttemptLimits = typeof attemptLimits

/**
 * Limits of sign-in attempts. Ten guesses from an address at one account in 15 minutes are enough for a person and
 * useless for a machine. Guesses from many addresses count together, but do not lock out the owner, who can sign in
 * from known networks. An office may share an address. Keys and sessions have 256 random bits: their limit only saves
 * lookups.
 */
export const attemptLimits = {
  /** For one account from one address. */
  passwordsByAccount: { failures: 10, withinSeconds: 15 * 60 },
  /** For one account from all addresses together, except networks that it has signed in from. */
  passwordsByAccountAnywhere: { failures: 25, withinSeconds: 60 * 60 },
  passwordsByAddress: { failures: 50, withinSeconds: 15 * 60 },
  credentialsByAddress: { failures: 100, withinSeconds: 60 },
} as const satisfies Record<string, AttemptLimit>

export interface AttemptBy {
  address: string
  account: string
  /**
   * Lists the addresses that the account has signed in from. Without it, attempts from other addresses do not count
   * together.
   */
  listKnownAddresses?: () => Promise<string[]>
}

export interface Attempts {
  /**
   * Runs an attempt at a password; undefined is a failure. Rejects the attempt after too many failures, even with the
   * right password. Counts before the attempt, so that concurrent attempts cannot exceed the limit, and resets the
   * count after a success.
   */
  atPassword<T>(by: AttemptBy, attempt: () => Promise<T | undefined>): Promise<T | undefined>
  /**
   * Counts a request with an invalid credential, and rejects it after too many. Valid credentials are never rejected.
   */
  badCredential(address: string): Promise<void>
}

/** Creates counters in memory: several processes together allow as many times the attempts. */
export function createAttempts(
  limits: Record<keyof AttemptLimits, AttemptLimit> = attemptLimits,
  clock: Pick<Clock, 'realMs'> = systemClock,
): Attempts {
  const limiter = ({ failures, withinSeconds }: AttemptLimit) =>
    new RateLimiterMemory({ points: failures, duration: clock.realMs(withinSeconds * 1_000) / 1_000 })
  const byAccount = limiter(limits.passwordsByAccount)
  const byAccountAnywhere = limiter(limits.passwordsByAccountAnywhere)
  const byAddress = limiter(limits.passwordsByAddress)
  const credentials = limiter(limits.credentialsByAddress)

  return {
    async atPassword({ address, account, listKnownAddresses }, attempt) {
      const network = networkOf(address)
      await count(byAddress, network)
      const guessed = `${network} ${account}`
      await count(byAccount, guessed)
      if (listKnownAddresses) {
        await count(byAccountAnywhere, account).catch(async (apiError) => {
          const known = await listKnownAddresses()
          if (!known.some((one) => networkOf(one) === network)) throw apiError
        })
      }
      const success = await attempt()
      if (success === undefined) return undefined
      await Promise.all([byAddress.reward(network), byAccount.delete(guessed)])
      if (listKnownAddresses) await byAccountAnywhere.reward(account)
      return success
    },
    badCredential: (address) => count(credentials, networkOf(address)),
  }
}

async function count(limit: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limit.consume(key)
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error
    const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
    throw new ApiError(
      'rateLimited',
      `Too many failed attempts. Try again in ${seconds} seconds.`,
      {},
      {
        'retry-after': String(seconds),
      },
    )
  }
}

/** Returns the network of an address. A customer has a whole IPv6 /64, which counts as one address. */
function networkOf(address: string): string {
  const mappedIpv4 = address.match(/^::ffff:([\d.]+)$/i)?.[1]
  if (mappedIpv4 !== undefined || !isIPv6(address)) return mappedIpv4 ?? address
  const [left = [], right = []] = address.split('::').map((half) => half.split(':'))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}

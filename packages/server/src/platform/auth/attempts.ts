import { isIPv6 } from 'node:net'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { type Clock, systemClock } from '../clock.ts'
import { Refusal } from '../http/refusal.ts'

/** How often something may fail within a time. */
export interface AttemptLimit {
  failures: number
  withinSeconds: number
}

export type AttemptLimits = typeof attemptLimits

/**
 * Ten guesses from an address at one account's password in a quarter of an hour are enough for a person and hopeless
 * for a machine. Guesses from many addresses count together. They do not lock the owner out, who is let in from
 * networks that the account has signed in from before. An address may be shared by an office. Keys and sessions have
 * 256 random bits: their limit only keeps strangers from costing us a lookup each.
 */
export const attemptLimits = {
  /** Of one account, from one address. */
  passwordsByAccount: { failures: 10, withinSeconds: 15 * 60 },
  /** Of one account, from all addresses together; but networks that it has signed in from are let in beyond it. */
  passwordsByAccountAnywhere: { failures: 25, withinSeconds: 60 * 60 },
  passwordsByAddress: { failures: 50, withinSeconds: 15 * 60 },
  credentialsByAddress: { failures: 100, withinSeconds: 60 },
} as const satisfies Record<string, AttemptLimit>

export interface AttemptBy {
  address: string
  account: string
  /** Lists where the account has signed in from. Without it, attempts from other addresses do not count together. */
  listKnownAddresses?: () => Promise<string[]>
}

export interface Attempts {
  /**
   * Makes an attempt at a password: undefined is a failure. Refused where too many failed before, right or wrong. It is
   * counted before it is made, so that a thousand at once cannot outrun the count; a success takes it back.
   */
  atPassword<T>(by: AttemptBy, attempt: () => Promise<T | undefined>): Promise<T | undefined>
  /** Counts a request whose credential is not good; refused where there were too many. Good ones are never refused. */
  badCredential(address: string): Promise<void>
}

/** Counts in memory: with several processes, an attacker has as many times the attempts. */
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
        await count(byAccountAnywhere, account).catch(async (refusal) => {
          const known = await listKnownAddresses()
          if (!known.some((one) => networkOf(one) === network)) throw refusal
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
    throw new Refusal(
      'rateLimited',
      `Too many attempts failed. Try again in ${seconds} seconds.`,
      {},
      {
        'retry-after': String(seconds),
      },
    )
  }
}

/** One customer has a whole /64 of IPv6, so that is what counts as an address there. */
function networkOf(address: string): string {
  const mappedIpv4 = address.match(/^::ffff:([\d.]+)$/i)?.[1]
  if (mappedIpv4 !== undefined || !isIPv6(address)) return mappedIpv4 ?? address
  const [left = [], right = []] = address.split('::').map((half) => half.split(':'))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}

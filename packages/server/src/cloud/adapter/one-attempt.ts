import type { Logger } from 'pino'

type Token = { getRetryCount(): number; getRetryDelay(): number }
const attempt = (number: number): Token => ({ getRetryCount: () => number, getRetryDelay: () => 0 })

/** The parts of an error of the SDK that it marks when it has set its clock by the cloud's. */
type Marked = { name?: string; $metadata?: { clockSkewCorrected?: true }; $response?: { headers?: { date?: string } } }

/**
 * One attempt each: the handlers retry, and look first whether a lost answer was a lost request. But for one thing: a
 * request that was signed by a clock which is minutes off did nothing, and the SDK knows the cloud's time from the
 * answer; it is sent once more, signed by that.
 */
export const oneAttempt = (log: Pick<Logger, 'warn'> | undefined) => ({
  acquireInitialRetryToken: async () => attempt(0),
  async refreshRetryTokenForRetry(token: Token, { error }: { error?: Marked }): Promise<Token> {
    if (!error?.$metadata?.clockSkewCorrected || token.getRetryCount() > 0)
      throw new Error('there is no second attempt')
    const theirs = error.$response?.headers?.date
    log?.warn(
      { reason: error.name, ourTime: new Date().toISOString(), ...(theirs && { cloudTime: theirs }) },
      'the clock of this machine is off by minutes: requests are signed by the clock of the cloud',
    )
    return attempt(1)
  },
  recordSuccess() {},
})

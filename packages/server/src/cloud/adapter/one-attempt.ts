import type { Logger } from 'pino'

type Token = { getRetryCount(): number; getRetryDelay(): number }
const attempt = (number: number): Token => ({ getRetryCount: () => number, getRetryDelay: () => 0 })

/** Fields of an SDK error that show that the SDK corrected its clock skew. */
type Marked = { name?: string; $metadata?: { clockSkewCorrected?: true }; $response?: { headers?: { date?: string } } }

/**
 * Retry strategy without retries, because handlers retry after checking whether the lost request took effect.
 * Exception: a request rejected for clock skew did nothing, so it is sent once more with the corrected time.
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

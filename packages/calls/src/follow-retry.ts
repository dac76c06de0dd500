import type { Retry } from '@sluice/client'

/** Returns retry settings for following, which continues through an upgrade of the service and reports its absence. */
export const createFollowRetry = (say: (line: string) => void): Retry => ({
  forMs: awayForMs,
  told: ({ message }) => say(`${message} Trying again for ${awayForMs / 1_000} s.`),
})

const awayForMs = 120_000

import type { Retry } from '@sluice/client'

/** Whoever watches outlives an upgrade of the service, and is told that it is away. */
export const watching = (say: (line: string) => void): Retry => ({
  forMs: awayForMs,
  told: ({ message }) => say(`${message} Trying again for ${awayForMs / 1_000} s.`),
})

const awayForMs = 120_000

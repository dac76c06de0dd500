import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@sluice/client'
import { NoAnswer } from './connect.ts'

/** How long the service may be away, as in an upgrade, before somebody who watches is told. */
const awayForMs = 120_000
const tryAgainMs = 2_000

/** Asks until there is an answer: watching outlives a restart of the service. Only for what may be asked twice. */
export async function patiently<T>(ask: () => Promise<T>, say: (line: string) => void): Promise<T> {
  const giveUpAt = performance.now() + awayForMs
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await ask()
    } catch (error) {
      if (!mayPass(error) || performance.now() > giveUpAt) throw error
      if (isFirst) say(`${(error as Error).message} Trying again for ${awayForMs / 1_000} s.`)
      await sleep((error instanceof ApiError && error.retryAfterMs) || tryAgainMs)
    }
  }
}

const mayPass = (error: unknown): boolean =>
  error instanceof NoAnswer || (error instanceof ApiError && [429, 502, 503, 504].includes(error.status))

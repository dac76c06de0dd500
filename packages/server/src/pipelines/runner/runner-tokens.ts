import { hash, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../platform/db/open.ts'
import { findPool, type Pool } from '../runner-pools/join.ts'

/** Whose steps a runner may claim: those of a pool, or all that the installation's own runners carry out. */
export type RunnerScope = Pool | { organizationId?: undefined }

/** Who a token lets claim; undefined for a token of nobody. */
export type FindRunnerScope = (token: string) => Promise<RunnerScope | undefined>

/**
 * The tokens of the installation's own runners: one that is derived from its key, and one that its operator has set.
 */
export function sharedRunners(tokens: readonly (string | undefined)[]): FindRunnerScope {
  const known = tokens.filter((token) => token !== undefined).map(digestOf)
  return async (token) => {
    const given = digestOf(token)
    return known.some((one) => timingSafeEqual(one, given)) ? {} : undefined
  }
}

/** The tokens of pools beside these. */
export const orOfPools =
  (db: Db, clock: () => Date, ofShared: FindRunnerScope): FindRunnerScope =>
  async (token) =>
    (await ofShared(token)) ?? findPool(db, token, clock())

/** As long for every token, so that comparing takes as long. */
const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

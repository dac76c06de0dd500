import { hash, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../platform/db/open.ts'
import { findPool, type Pool } from '../runner-pools/join.ts'

/** The one attempt that the runner of a task in the cloud was started for. */
export type AttemptScope = {
  organizationId: string
  executionEnvironmentId: string
  stepExecutionId: string
  attemptEpoch: number
}

/** Whose steps a runner may claim: those of a pool, one attempt, or all that the installation's own carry out. */
export type RunnerScope = Pool | AttemptScope | { organizationId?: undefined }

export const isOfPool = (scope: RunnerScope): scope is Pool => 'runnerTokenId' in scope
export const isOfAttempt = (scope: RunnerScope): scope is AttemptScope => 'attemptEpoch' in scope

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

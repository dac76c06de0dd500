import { hash, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../platform/db/open.ts'
import { findPool, type Pool } from '../runner-pools/join.ts'

/** Scope of a runner in a cloud task: the single attempt for which it was started. */
export type AttemptScope = {
  organizationId: string
  executionEnvironmentId: string
  stepExecutionId: string
  attemptEpoch: number
}

/** Scope of a runner: a pool, one attempt, or all steps for shared runners. */
export type RunnerScope = Pool | AttemptScope | { organizationId?: undefined }

export const isOfPool = (scope: RunnerScope): scope is Pool => 'runnerTokenId' in scope
export const isOfAttempt = (scope: RunnerScope): scope is AttemptScope => 'attemptEpoch' in scope

/** Returns the scope of a token; undefined for an invalid token. */
export type FindRunnerScope = (token: string) => Promise<RunnerScope | undefined>

/** Authenticates shared runners: by the token that is derived from the server's key, or by the operator's. */
export function sharedRunners(tokens: readonly (string | undefined)[]): FindRunnerScope {
  const known = tokens.filter((token) => token !== undefined).map(digestOf)
  return async (token) => {
    const given = digestOf(token)
    return known.some((one) => timingSafeEqual(one, given)) ? {} : undefined
  }
}

/** Extends an authentication with the tokens of pools. */
export const acceptPoolTokens =
  (db: Db, clock: () => Date, ofShared: FindRunnerScope): FindRunnerScope =>
  async (token) =>
    (await ofShared(token)) ?? findPool(db, token, clock())

/** Returns a digest of constant length, for a comparison in constant time. */
const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

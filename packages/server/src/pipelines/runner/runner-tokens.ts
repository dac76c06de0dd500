import { hash, timingSafeEqual } from 'node:crypto'

/** Whose steps a runner may claim: those of one organization, or of all that use the installation's own runners. */
export type RunnerScope = { organizationId?: string | undefined }

/** Who a token lets claim; undefined for a token of nobody. */
export type FindRunnerScope = (token: string) => Promise<RunnerScope | undefined>

/** The tokens of the installation's own runners: one that is derived from its key, and one that its operator has set. */
export function sharedRunners(tokens: readonly (string | undefined)[]): FindRunnerScope {
  const known = tokens.filter((token) => token !== undefined).map(digestOf)
  return async (token) => {
    const given = digestOf(token)
    return known.some((one) => timingSafeEqual(one, given)) ? {} : undefined
  }
}

/** As long for every token, so that comparing takes as long. */
const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

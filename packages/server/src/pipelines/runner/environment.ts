import type { Static } from 'typebox'
import type { EnvironmentVariables } from '../pipeline-versions/config/source.ts'

/** Returns the environment variables of a step; null means not set. */
export const environmentOf = (variables: Static<typeof EnvironmentVariables> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  )

import { availableParallelism, homedir } from 'node:os'
import { join } from 'node:path'

export type Settings = {
  /** Where the API is. */
  url: string
  /** Lets it claim. */
  token: string
  /** Where it keeps what belongs to its attempts. No other runner uses it. */
  directory: string
  /** How many steps it carries out at a time. */
  capacity: number
}

type Environment = Record<string, string | undefined>

/** @throws with the name of the variable that is missing or wrong */
export function readSettings(env: Environment): Settings {
  return {
    url: needed(env, 'SLUICE_URL'),
    token: needed(env, 'SLUICE_RUNNER_TOKEN'),
    directory: env.SLUICE_RUNNER_DIR ?? join(homedir(), '.sluice-runner'),
    capacity: Number(env.SLUICE_RUNNER_CAPACITY ?? availableParallelism()),
  }
}

function needed(env: Environment, name: string): string {
  const value = env[name]
  if (value) return value
  throw new Error(`${name} is not set.`)
}

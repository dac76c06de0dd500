import { availableParallelism, homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { isHostName, isNetwork } from '@sluice/outbound/addresses'
import { defaultCacheBytes } from './cache-folder.ts'

export type Settings = {
  /** URL of the API. */
  url: string
  /** Token to lease steps with. An ephemeral runner redeems it once. */
  token: string
  /** Whether the runner exits after one attempt. */
  isEphemeral: boolean
  /** Data directory. No other runner uses it. */
  directory: string
  /** Maximum number of concurrent steps. */
  capacity: number
  /** Labels that the runner pool shows for this runner. */
  labels: string[]
  /** Size limit of the cache of image layers. */
  layerBytes: number
  /** Size limit of the cache of repositories, and of the cache of plugins of the iac tool. */
  cacheBytes: number
  /** Folder with more versions of the iac tool. */
  toolsDir: string | undefined
  /** Path of a CLI configuration file of the iac tool. */
  cliConfig: string | undefined
  /** How long the runner finishes its steps after SIGTERM before it interrupts them. No limit by default. */
  drainMs: number
  /** Destinations of the runner's own requests besides the public internet: host names, addresses and networks. */
  outboundAllow: string[]
}

type Environment = Record<string, string | undefined>

/** @throws {Error} with the name of a variable that is missing or invalid */
export function readSettings(env: Environment): Settings {
  return {
    url: readUrl(env),
    token: requireVariable(env, 'SLUICE_RUNNER_TOKEN'),
    isEphemeral: env.SLUICE_RUNNER_ONCE === '1',
    directory: resolve(env.SLUICE_RUNNER_DIR || join(homedir(), '.sluice-runner')),
    capacity: readCapacity(env),
    labels: readList(env.SLUICE_RUNNER_LABELS),
    layerBytes: readBytes(env, 'SLUICE_RUNNER_LAYERS_MIB', defaultLayerBytes),
    cacheBytes: readBytes(env, 'SLUICE_RUNNER_CACHE_MIB', defaultCacheBytes),
    toolsDir: env.SLUICE_IAC_TOOLS_DIR || undefined,
    cliConfig: env.SLUICE_IAC_CLI_CONFIG && resolve(env.SLUICE_IAC_CLI_CONFIG),
    drainMs: readDrainMs(env),
    outboundAllow: readOutboundAllow(env),
  }
}

const readList = (text = ''): string[] => text.split(',').flatMap((item) => item.trim() || [])

function readOutboundAllow(env: Environment): string[] {
  const allow = readList(env.SLUICE_OUTBOUND_ALLOW)
  const wrong = allow.find((entry) => !isNetwork(entry) && !isHostName(entry))
  if (wrong === undefined) return allow
  throw new Error(`SLUICE_OUTBOUND_ALLOW: expected host names, addresses and networks, not ${JSON.stringify(wrong)}.`)
}

function requireVariable(env: Environment, name: string): string {
  const value = env[name]
  if (value) return value
  throw new Error(`${name} is not set. Set it in the environment of the runner.`)
}

/** Has no limit by default, because each step has its own timeout. */
function readDrainMs({ SLUICE_RUNNER_DRAIN_SECONDS: text }: Environment): number {
  if (!text) return Number.POSITIVE_INFINITY
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1_000
  throw new Error('SLUICE_RUNNER_DRAIN_SECONDS: expected a whole number of seconds from 0 to 999999.')
}

function readUrl(env: Environment): string {
  const url = requireVariable(env, 'SLUICE_URL')
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '')
  throw new Error('SLUICE_URL: expected a URL that starts with http:// or https://.')
}

function readCapacity({ SLUICE_RUNNER_CAPACITY: text }: Environment): number {
  if (!text) return availableParallelism()
  const capacity = Number(text)
  if (Number.isInteger(capacity) && capacity >= 1 && capacity <= 1_000) return capacity
  throw new Error('SLUICE_RUNNER_CAPACITY: expected a whole number from 1 to 1000.')
}

/** Enough for the last builds of several images. */
const defaultLayerBytes = 10 * 1024 ** 3

function readBytes(env: Environment, name: string, defaultBytes: number): number {
  const text = env[name]
  if (!text) return defaultBytes
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1024 ** 2
  throw new Error(`${name}: expected a whole number of MiB, or 0.`)
}

import { availableParallelism, homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { isHostName, isNetwork } from '@sluice/outbound/addresses'
import { usualCacheBytes } from './cache-folder.ts'

export type Settings = {
  /** Where the API is. */
  url: string
  /** Lets it claim, or where it is for one attempt, is redeemed once. */
  token: string
  /** Whether it was started for one attempt, and ends with it. */
  isForOne: boolean
  /** Where it keeps what belongs to its attempts. No other runner uses it. */
  directory: string
  /** How many steps it carries out at a time. */
  capacity: number
  /** What whoever starts it says of it, for those who look at the pool. */
  labels: string[]
  /** How much of the layers of images is kept for later builds. */
  layerBytes: number
  /** How much is kept of repositories, and as much of plug-ins of the iac tool. Bytes. */
  cacheBytes: number
  /** Further versions of the iac tool. */
  toolsDir: string | undefined
  /** A configuration file of its command line. */
  cliConfig: string | undefined
  /** How long it finishes its steps after SIGTERM, before it interrupts them; without a limit where nothing is said. */
  drainMs: number
  /** Where its own requests may go beside the public internet: host names, addresses and networks. */
  outboundAllow: string[]
}

type Environment = Record<string, string | undefined>

/** @throws {Error} that names the variable which is missing or wrong. */
export function readSettings(env: Environment): Settings {
  return {
    url: urlIn(env),
    token: needed(env, 'SLUICE_RUNNER_TOKEN'),
    isForOne: env.SLUICE_RUNNER_ONCE === '1',
    directory: resolve(env.SLUICE_RUNNER_DIR || join(homedir(), '.sluice-runner')),
    capacity: capacityIn(env),
    labels: listIn(env.SLUICE_RUNNER_LABELS),
    layerBytes: bytesIn(env, 'SLUICE_RUNNER_LAYERS_MIB', usualLayerBytes),
    cacheBytes: bytesIn(env, 'SLUICE_RUNNER_CACHE_MIB', usualCacheBytes),
    toolsDir: env.SLUICE_IAC_TOOLS_DIR || undefined,
    cliConfig: env.SLUICE_IAC_CLI_CONFIG && resolve(env.SLUICE_IAC_CLI_CONFIG),
    drainMs: drainMsIn(env),
    outboundAllow: outboundAllowIn(env),
  }
}

const listIn = (text = ''): string[] => text.split(',').flatMap((item) => item.trim() || [])

function outboundAllowIn(env: Environment): string[] {
  const allow = listIn(env.SLUICE_OUTBOUND_ALLOW)
  const wrong = allow.find((entry) => !isNetwork(entry) && !isHostName(entry))
  if (wrong === undefined) return allow
  throw new Error(`SLUICE_OUTBOUND_ALLOW: expected host names, addresses and networks, not ${JSON.stringify(wrong)}.`)
}

function needed(env: Environment, name: string): string {
  const value = env[name]
  if (value) return value
  throw new Error(`${name} is not set.`)
}

/** Each step has a time-out of its own. */
function drainMsIn({ SLUICE_RUNNER_DRAIN_SECONDS: text }: Environment): number {
  if (!text) return Number.POSITIVE_INFINITY
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1_000
  throw new Error('SLUICE_RUNNER_DRAIN_SECONDS: expected a whole number of seconds from 0 to 999999.')
}

function urlIn(env: Environment): string {
  const url = needed(env, 'SLUICE_URL')
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '')
  throw new Error('SLUICE_URL: expected a URL that begins with http:// or https://.')
}

function capacityIn({ SLUICE_RUNNER_CAPACITY: text }: Environment): number {
  if (!text) return availableParallelism()
  const capacity = Number(text)
  if (Number.isInteger(capacity) && capacity >= 1 && capacity <= 1_000) return capacity
  throw new Error('SLUICE_RUNNER_CAPACITY: expected a whole number from 1 to 1000.')
}

/** So much where nothing is said: several images with what was built of them last. */
const usualLayerBytes = 10 * 1024 ** 3

function bytesIn(env: Environment, name: string, usual: number): number {
  const text = env[name]
  if (!text) return usual
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1024 ** 2
  throw new Error(`${name}: expected a whole number of MiB, or 0.`)
}

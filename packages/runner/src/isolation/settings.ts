import { availableParallelism } from 'node:os'
import { delimiter, isAbsolute } from 'node:path'
import type { IsolationSettings } from './isolation.ts'
import { type Limits, usualLimits } from './limits.ts'
import { endpointOf } from './network.ts'

type Environment = Readonly<Record<string, string | undefined>>

const miB = 1024 ** 2

/** Reads what the operator wants of isolation. @throws with the name of the variable that is wrong */
export function readIsolationSettings(
  env: Environment,
  { url, directory, toolsDir }: { /** Of the API. */ url: string; directory: string; toolsDir?: string | undefined },
): IsolationSettings {
  const named = [toolsDir, ...certificates.map((name) => env[name])]
  return {
    wish: oneOf(env, 'SLUICE_RUNNER_ISOLATION', ['auto', 'bubblewrap', 'none']),
    network: oneOf(env, 'SLUICE_RUNNER_NETWORK', ['auto', 'own', 'host']),
    limits: readLimits(env),
    url,
    toolFolders: [
      ...listIn(env, 'SLUICE_RUNNER_TOOLS', delimiter, isAbsolute, 'absolute paths'),
      ...named.flatMap((path) => path || []).filter(isAbsolute),
    ],
    endpoints: [
      ...[url, ...proxies.map((name) => env[name])].flatMap((address) => endpointAt(address) ?? []),
      ...listIn(env, 'SLUICE_RUNNER_ENDPOINTS', ',', isEndpoint, 'addresses such as 127.0.0.1:4700'),
    ],
    directory,
  }
}

/** How this machine reaches others: programs are told, and find it. */
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']
const certificates = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'ssl_cert_file', 'ssl_cert_dir']

const endpointAt = (address: string | undefined): string | undefined =>
  address !== undefined && URL.canParse(address) ? endpointOf(address) : undefined

const isEndpoint = (text: string): boolean => /^(127\.[\d.]+|localhost|\[::1\]):\d{1,5}$/.test(text)

const readLimits = (env: Environment): Limits => ({
  memoryBytes: numberIn(env, 'SLUICE_RUNNER_MEMORY_MIB', usualLimits.memoryBytes / miB) * miB,
  processes: numberIn(env, 'SLUICE_RUNNER_PROCESSES', usualLimits.processes),
  cpus: numberIn(env, 'SLUICE_RUNNER_CPUS', availableParallelism()),
  diskBytes: numberIn(env, 'SLUICE_RUNNER_DISK_MIB', usualLimits.diskBytes / miB) * miB,
  files: numberIn(env, 'SLUICE_RUNNER_FILES', usualLimits.files),
  openFiles: numberIn(env, 'SLUICE_RUNNER_OPEN_FILES', usualLimits.openFiles),
  sourceBytes: numberIn(env, 'SLUICE_RUNNER_SOURCE_MIB', usualLimits.sourceBytes / miB) * miB,
})

function numberIn(env: Environment, name: string, otherwise: number): number {
  const text = env[name]
  if (text === undefined || text === '') return otherwise
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Error(`${name} is ${JSON.stringify(text)}: it should be a whole number from 1 on.`)
}

function oneOf<const T extends string>(env: Environment, name: string, choices: readonly [T, ...T[]]): T {
  const text = env[name]
  if (text === undefined || text === '') return choices[0]
  const found = choices.find((choice) => choice === text)
  if (found !== undefined) return found
  throw new Error(`${name} is ${JSON.stringify(text)}: it should be ${choices.join(', ')}.`)
}

function listIn(
  env: Environment,
  name: string,
  separator: string,
  fits: (text: string) => boolean,
  expected: string,
): string[] {
  const items = (env[name] ?? '').split(separator).filter((item) => item !== '')
  const wrong = items.find((item) => !fits(item))
  if (wrong === undefined) return items
  throw new Error(`${name} has ${JSON.stringify(wrong)} in it: it should be a list of ${expected}.`)
}

import { availableParallelism } from 'node:os'
import { delimiter, isAbsolute } from 'node:path'
import type { IsolationSettings } from './isolation.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { parseLoopbackEndpoint } from './network.ts'

type Environment = Readonly<Record<string, string | undefined>>

const miB = 1024 ** 2

/** Reads the isolation settings. @throws with the name of the variable that is invalid */
export function readIsolationSettings(
  env: Environment,
  {
    url,
    directory,
    toolsDir,
  }: { /** URL of the API. */ url: string; directory: string; toolsDir?: string | undefined },
): IsolationSettings {
  const named = [toolsDir, ...certificates.map((name) => env[name])]
  return {
    mode: readChoice(env, 'SLUICE_RUNNER_ISOLATION', ['auto', 'bubblewrap', 'none']),
    network: readChoice(env, 'SLUICE_RUNNER_NETWORK', ['auto', 'own', 'host']),
    limits: readLimits(env),
    url,
    toolFolders: [
      ...readList(env, 'SLUICE_RUNNER_TOOLS', delimiter, isAbsolute, 'absolute paths'),
      ...named.flatMap((path) => path || []).filter(isAbsolute),
    ],
    endpoints: [
      ...[url, ...proxies.map((name) => env[name])].flatMap((address) => parseEndpoint(address) ?? []),
      ...readList(env, 'SLUICE_RUNNER_ENDPOINTS', ',', isEndpoint, 'addresses such as 127.0.0.1:4700'),
    ],
    directory,
  }
}

/** Variables of the operator's proxies and certificates, which programs must be able to reach and read. */
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']
const certificates = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'ssl_cert_file', 'ssl_cert_dir']

const parseEndpoint = (address: string | undefined): string | undefined =>
  address !== undefined && URL.canParse(address) ? parseLoopbackEndpoint(address) : undefined

const isEndpoint = (text: string): boolean => /^(127\.[\d.]+|localhost|\[::1\]):\d{1,5}$/.test(text)

const readLimits = (env: Environment): Limits => ({
  memoryBytes: readNumber(env, 'SLUICE_RUNNER_MEMORY_MIB', defaultLimits.memoryBytes / miB) * miB,
  processes: readNumber(env, 'SLUICE_RUNNER_PROCESSES', defaultLimits.processes),
  cpus: readNumber(env, 'SLUICE_RUNNER_CPUS', availableParallelism()),
  diskBytes: readNumber(env, 'SLUICE_RUNNER_DISK_MIB', defaultLimits.diskBytes / miB) * miB,
  files: readNumber(env, 'SLUICE_RUNNER_FILES', defaultLimits.files),
  openFiles: readNumber(env, 'SLUICE_RUNNER_OPEN_FILES', defaultLimits.openFiles),
  sourceBytes: readNumber(env, 'SLUICE_RUNNER_SOURCE_MIB', defaultLimits.sourceBytes / miB) * miB,
})

function readNumber(env: Environment, name: string, otherwise: number): number {
  const text = env[name]
  if (text === undefined || text === '') return otherwise
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Error(`${name} is ${JSON.stringify(text)}: expected a whole number of at least 1.`)
}

function readChoice<const T extends string>(env: Environment, name: string, choices: readonly [T, ...T[]]): T {
  const text = env[name]
  if (text === undefined || text === '') return choices[0]
  const found = choices.find((choice) => choice === text)
  if (found !== undefined) return found
  throw new Error(`${name} is ${JSON.stringify(text)}: expected one of ${choices.join(', ')}.`)
}

function readList(
  env: Environment,
  name: string,
  separator: string,
  fits: (text: string) => boolean,
  expected: string,
): string[] {
  const items = (env[name] ?? '').split(separator).filter((item) => item !== '')
  const wrong = items.find((item) => !fits(item))
  if (wrong === undefined) return items
  throw new Error(`${name} contains ${JSON.stringify(wrong)}: expected a list of ${expected}.`)
}

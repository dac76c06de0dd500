import { Value } from 'typebox/value'
import { crossCheck, serviceFaults } from './cross-check.ts'
import { readConfigFile } from './file.ts'
import { type Config, flagOf, type SettingName, settingNames, settingOf } from './settings.ts'

export interface ConfigSources {
  /** Working directory, for the configuration file and relative paths. */
  cwd: string
  env: NodeJS.ProcessEnv
  /** Values of flags by setting, and `config` for the path of the file. */
  flags?: Partial<Record<SettingName | 'config', string>>
  /** Unknown flags on the command line. */
  unknownFlags?: string[]
}

/** Value with its source: "environment", "command line" or the name of the file. */
interface Found {
  value: unknown
  /** Name as the operator wrote it: `PORT`, `--port` or `port`. */
  as: string
  where: string
}

/** All faults of a configuration in one message. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly faults: string[]

  constructor(faults: string[]) {
    super(['This configuration cannot be used:', ...faults.map((fault) => `  ${fault}`)].join('\n'))
    this.faults = faults
  }
}

/** Loads the configuration of a process that serves its roles. Throws a `ConfigError` that lists every fault. */
export const loadConfig = (sources: ConfigSources): Config => load(sources, serviceFaults)

/**
 * Loads the configuration of a command such as `sluice migrate`, which does not need the settings of roles. Throws a
 * `ConfigError` that lists every fault.
 */
export const loadCommandConfig = (sources: ConfigSources): Config => load(sources, () => [])

/** Combines settings in ascending precedence: defaults, the configuration file, the environment and flags. */
function load(
  { cwd, env, flags = {}, unknownFlags = [] }: ConfigSources,
  moreFaults: (config: Config) => string[],
): Config {
  const { entries, name: fileName, faults: fileFaults } = readConfigFile(cwd, flags.config ?? env.SLUICE_CONFIG)
  const faults = [...fileFaults, ...unknownFlags.map((flag) => `${flag} is not an option. See sluice serve --help.`)]
  const config: Partial<Record<SettingName, unknown>> = {}
  for (const name of settingNames) {
    const found = fromFlag(flags, name) ?? fromEnvironment(env, name) ?? fromFile(entries, name, fileName)
    const { value, fault } = check(name, found)
    config[name] = value
    if (fault !== undefined) faults.push(fault)
  }
  const complete = config as Config
  if (faults.length === 0) faults.push(...crossCheck(complete), ...moreFaults(complete))
  if (faults.length > 0) throw new ConfigError(faults)
  return complete
}

function fromFlag(flags: NonNullable<ConfigSources['flags']>, name: SettingName): Found | undefined {
  const value = flags[name]
  return value === undefined ? undefined : { value, as: flagOf(name) ?? name, where: 'command line' }
}

/**
 * Returns a setting of the environment. An empty variable counts as not set, as Compose files and shells pass unset
 * values.
 */
function fromEnvironment(env: NodeJS.ProcessEnv, name: SettingName): Found | undefined {
  const { env: variable, envFallback } = settingOf(name)
  const as = [variable, envFallback].find((candidate) => candidate !== undefined && env[candidate])
  return as === undefined ? undefined : { value: env[as], as, where: 'environment' }
}

function fromFile(entries: Record<string, unknown>, name: SettingName, fileName: string): Found | undefined {
  return Object.hasOwn(entries, name) ? { value: entries[name], as: name, where: fileName } : undefined
}

function check(name: SettingName, found: Found | undefined): { value: unknown; fault?: string } {
  const { type, default: preset, expected, isSecret } = settingOf(name)
  if (found === undefined) return { value: preset }
  const value = typeof found.value === 'string' ? fromText(name, found.value) : found.value
  if (Value.Check(type, value)) return { value }
  const shown = isSecret ? 'not valid' : JSON.stringify(found.value)
  return { value: undefined, fault: `${found.as} (${found.where}) is ${shown}: expected ${expected}.` }
}

/** Parses a value of the environment or a flag, where numbers and lists are text. */
function fromText(name: SettingName, text: string): unknown {
  const { type } = settingOf(name) as { type: { type?: string } }
  if (type.type === 'integer' && /^\d+$/.test(text)) return Number(text)
  if (type.type === 'number' && /^\d+(\.\d+)?$/.test(text)) return Number(text)
  if (type.type === 'array') return text.split(',').map((item) => item.trim())
  return text
}

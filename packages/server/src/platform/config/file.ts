import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import { settingNames, settings } from './settings.ts'

const usualNames = ['sluice.config.json', 'sluice.config.yaml', 'sluice.config.yml']

export interface ConfigFile {
  /** Name of the file, for messages. */
  name: string
  entries: Record<string, unknown>
  faults: string[]
}

/** Reads the file at `path`, or a file with a default name in `cwd`. Returns no entries if there is none. */
export function readConfigFile(cwd: string, path: string | undefined): ConfigFile {
  const [name, another] = path ? [path] : usualNames.filter((usual) => existsSync(resolve(cwd, usual)))
  if (name === undefined) return { name: '', entries: {}, faults: [] }
  if (another !== undefined) return faulty(name, `${name} and ${another} both exist: keep one of them.`)
  try {
    const content: unknown = parse(readFileSync(resolve(cwd, name), 'utf8')) // JSON is valid YAML
    if (!isMapping(content)) return faulty(name, `${name} must contain settings by name.`)
    return { name, entries: content, faults: unknownKeys(name, content) }
  } catch (error) {
    return faulty(name, `${name} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

const faulty = (name: string, fault: string): ConfigFile => ({ name, entries: {}, faults: [fault] })

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function unknownKeys(name: string, content: Record<string, unknown>): string[] {
  return Object.keys(content)
    .filter((key) => !Object.hasOwn(settings, key))
    .map((key) => `${key} (${name}) is not a setting. Known settings: ${settingNames.join(', ')}.`)
}

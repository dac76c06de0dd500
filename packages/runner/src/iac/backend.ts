import { readdir, writeFile } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { parseBoundedJson } from '@sluice/contract/bounded-json'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'

/**
 * The tool loads override files in the order of their names, and later ones win. This name sorts after `override.tf`
 * and every name that users are likely to choose.
 */
export const overrideFile = '~sluice_override.tf.json'

/** Data directory of the tool, which overrides the step's environment. */
export const dataDirectory = '.terraform'

/** Makes the tool keep the state in Sluice. The settings of the backend are in the environment. */
export const writeBackendOverride = (directory: string): Promise<void> =>
  writeFile(join(directory, overrideFile), JSON.stringify({ terraform: { backend: { http: {} } } }))

/**
 * Rejects a configuration whose state would be kept elsewhere. Reads the backend that `init` selected, which covers
 * later override files, `cloud` blocks and arguments in the environment. A failed `init` may not have selected one.
 */
export async function requireSluiceBackend(place: ConfigurationFolder, hasInitialized: boolean): Promise<void> {
  const backend = await readBackend(place)
  const isOurs = backend?.type === 'http' && Object.values(backend.config ?? {}).every((value) => value === null)
  if (isOurs || (!backend && !hasInitialized)) return
  const files = await findOverrideFiles(place)
  throw new StepFailure(
    'iacInitFailed',
    `The configuration overrides the backend of Sluice: ${describeOverrides(files)}.`,
    {
      description:
        'Sluice keeps the state of this workspace. Remove the backend or cloud block. To keep the state in your own ' +
        'backend, set `workspace: null` in the step.',
    },
  )
}

/**
 * Rejects a configuration that keeps its own state without a backend, or in the attempt's folder. The state would be
 * removed with that folder, and the next apply would create everything again.
 */
export async function requireDeclaredBackend(place: ConfigurationFolder): Promise<void> {
  const { type, config } = (await readBackend(place)) ?? {}
  const path = config?.path
  if (type !== undefined && (type !== 'local' || (typeof path === 'string' && isAbsolute(path)))) return
  throw new StepFailure(
    'iacInitFailed',
    'The state of this configuration would be lost: the configuration declares no backend.',
    {
      description:
        'Set a `workspace` in the step (in a module: `service_state_backend_workspace` of its stack block) to keep the ' +
        'state in Sluice. Or declare a backend outside of the configuration folder, such as `s3`.',
    },
  )
}

/** A folder that programs have written to. Read it with `readResult` only, which does not follow links. */
type ConfigurationFolder = { directory: string; attempt: Pick<Attempt, 'directory' | 'readResult'> }

/** Far larger than such files are. */
const maxFileBytes = 1024 * 1024

async function readText({ directory, attempt }: ConfigurationFolder, name: string): Promise<string> {
  const found = await attempt.readResult(join(relative(attempt.directory, directory), name), maxFileBytes)
  return found && 'content' in found ? found.content.toString() : ''
}

type Backend = { type?: unknown; config?: Record<string, unknown> | null }

async function readBackend(place: ConfigurationFolder): Promise<Backend | undefined> {
  const text = await readText(place, join(dataDirectory, 'terraform.tfstate'))
  try {
    return Object(parseBoundedJson(text)).backend ?? undefined
  } catch {
    return undefined // no file, or not one of the tool
  }
}

const describeOverrides = (files: string[]): string =>
  files.length === 0 ? 'by an argument in the environment' : `see ${files.join(', ')}`

/** Returns the override files, such as `a_override.tf.json`, that contain a backend or cloud block. */
async function findOverrideFiles(place: ConfigurationFolder): Promise<string[]> {
  const names = (await readdir(place.directory))
    .filter((name) => name !== overrideFile && overridePattern.test(name))
    .sort()
  const texts = await Promise.all(names.map((name) => readText(place, name)))
  return names.filter((_, index) => /\b(backend|cloud)\b/.test(texts[index] ?? ''))
}

const overridePattern = /(^|_)override\.(tf|tofu)(\.json)?$/

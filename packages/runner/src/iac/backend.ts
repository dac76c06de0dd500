import { readdir, writeFile } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { parseBoundedJson } from '@sluice/contract/bounded-json'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'

/**
 * The tool takes files with such names in their order, and what a later one sets beats an earlier one: ours is named so
 * that it comes last, after `override.tf` and whatever people have for their own machines.
 */
export const ourFile = '~sluice_override.tf.json'

/** Where the tool keeps what it needs of a folder, whatever the step's environment says. */
export const dataDirectory = '.terraform'

/** Has the state kept by us: the file has no more in it than that, the rest is in the environment. */
export const useOurBackend = (directory: string): Promise<void> =>
  writeFile(join(directory, ourFile), JSON.stringify({ terraform: { backend: { http: {} } } }))

/**
 * Refuses a configuration whose state would go elsewhere. Which backend it is in the end is for the tool to say, in
 * `init`: files with still later names, `cloud` blocks and arguments in the environment all end up there. An `init`
 * that failed may not have come so far.
 */
export async function expectOurBackend(place: Place, hasInitialized: boolean): Promise<void> {
  const backend = await backendIn(place)
  const isOurs = backend?.type === 'http' && Object.values(backend.config ?? {}).every((value) => value === null)
  if (isOurs || (!backend && !hasInitialized)) return
  const files = await overridingFiles(place)
  throw new StepFailure('iacInitFailed', `The configuration sends its state elsewhere: ${suspectsIn(files)}.`, {
    description:
      'Sluice keeps the state of this workspace. Take the backend or cloud block out, or set `workspace: null` in the ' +
      'step, if the configuration is to keep its state itself.',
  })
}

/**
 * Refuses a configuration that is to keep its state itself and names no place for it, or one in the folder of the
 * attempt: the state would go with that folder, and the next apply make everything a second time.
 */
export async function expectOwnBackend(place: Place): Promise<void> {
  const { type, config } = (await backendIn(place)) ?? {}
  const path = config?.path
  if (type !== undefined && (type !== 'local' || (typeof path === 'string' && isAbsolute(path)))) return
  throw new StepFailure(
    'iacInitFailed',
    'The configuration keeps its state itself, and would lose it: it names no backend.',
    {
      description:
        'Give the step a `workspace` (in a module: `service_state_backend_workspace` of its stack block), so that Sluice ' +
        'keeps the state, or the configuration a backend outside of its own folder, such as `s3`.',
    },
  )
}

/** A folder that programs write to: nothing leads out of it. */
type Place = { directory: string; attempt: Pick<Attempt, 'directory' | 'result'> }

/** Far more than such files have. Bytes. */
const mostBytes = 1024 * 1024

async function textIn({ directory, attempt }: Place, name: string): Promise<string> {
  const found = await attempt.result(join(relative(attempt.directory, directory), name), mostBytes)
  return found && 'content' in found ? found.content.toString() : ''
}

type Backend = { type?: unknown; config?: Record<string, unknown> | null }

async function backendIn(place: Place): Promise<Backend | undefined> {
  const text = await textIn(place, join(dataDirectory, 'terraform.tfstate'))
  try {
    return Object(parseBoundedJson(text)).backend ?? undefined
  } catch {
    return undefined // there is none, or it is not the tool's
  }
}

const suspectsIn = (files: string[]): string =>
  files.length === 0 ? 'an argument in its environment says so' : `see ${files.join(', ')}`

/** `override.tf`, `a_override.tf.json`, the same with `.tofu`: those of them that speak of a backend or a cloud. */
async function overridingFiles(place: Place): Promise<string[]> {
  const names = (await readdir(place.directory)).filter((name) => name !== ourFile && isOverride.test(name)).sort()
  const texts = await Promise.all(names.map((name) => textIn(place, name)))
  return names.filter((_, index) => /\b(backend|cloud)\b/.test(texts[index] ?? ''))
}

const isOverride = /(^|_)override\.(tf|tofu)(\.json)?$/

import type { ReleaseMarks } from '@sluice/contract'

/** Input of a deploy block, as far as it decides where a version goes. */
export type DeployInput = { id: string; type?: string; required?: boolean }

type Known = {
  /** Inputs that the module's deploy block declares; undefined without one. */
  inputs: readonly DeployInput[] | undefined
  /** What the latest release of Sluice runs. */
  marks: ReleaseMarks | undefined
}

/** Inputs that deploy a version, or why they cannot be determined. */
export type VersionInputs = { inputs: Record<string, string> } | { reason: string }

/**
 * Returns the inputs that deploy a version of a service: the same image with another tag, or the version itself if the
 * module asks for a tag or version. Modules that require anything else need the form of the service.
 */
export function versionInputs({ inputs, marks }: Known, version: string): VersionInputs {
  if (inputs === undefined) return { reason: 'Its module deploys nothing.' }
  const others = inputs.filter(({ id, required }) => required === true && !isVersionInput(id))
  if (others.length > 0)
    return { reason: `Its module also requires ${others.map(({ id }) => id).join(', ')}. ${useForm}` }
  const wanted = inputs.filter(({ id, type = 'string' }) => isVersionInput(id) && type === 'string')
  const [input, ...more] = wanted
  if (input === undefined || more.length > 0)
    return { reason: `Its module has no single input for an image or version. ${useForm}` }
  if (!isImageInput(input.id)) return { inputs: { [input.id]: version } }
  const repository = repositoryOf(marks?.image)
  if (repository === undefined)
    return { reason: `No image of Sluice is running, so the repository is unknown. ${useForm}` }
  return { inputs: { [input.id]: `${repository}${/^sha256:/.test(version) ? '@' : ':'}${version}` } }
}

const useForm = 'Deploy it from its own page.'

const isImageInput = (id: string): boolean => /image/i.test(id)
const isVersionInput = (id: string): boolean => isImageInput(id) || /(^|_)(version|tag)$/i.test(id)

/** Returns an image without tag and digest. A port of the registry is no tag. */
const repositoryOf = (image: string | undefined): string | undefined =>
  image?.replace(/@.*$/, '').replace(/:[^:/]*$/, '')

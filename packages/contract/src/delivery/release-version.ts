import type { DeploymentData } from './deployment.ts'

// Stands on types alone, as states.ts does.

/** What tells one release from another; which of it there is depends on the type of the deployment. */
export type ReleaseMarks = {
  /** Of containers, and of functions that are images: the address of the image. */
  image?: string | undefined
  /** Of a function: the number of the published version. */
  functionVersion?: string | undefined
  /** Of a site: the directory of the bucket. */
  directory?: string | undefined
  /** Of machines that run commands: what is checked out. */
  checkout?: string | undefined
}

/** The marks of a deployment, as far as they are known. */
export function releaseMarksOf(data: DeploymentData | undefined): ReleaseMarks {
  switch (data?.type) {
    case 'cloud:ecs':
      return { image: imageOfDefinition(data.deployedTaskDefinition?.definition) }
    case 'cloud:ec2':
      return { image: data.deployedRelease?.imageUri, checkout: data.deployedRelease?.source?.ref }
    case 'cloud:lambda':
      return { functionVersion: data.version, image: data.imageUri }
    case 'cloud:static':
      return { directory: data.prefix }
    case undefined:
      return {}
  }
}

/** The version of a release in a word, as people name it: the tag of its image, the number of a function's version. */
export function versionOf({ functionVersion, image, directory, checkout }: ReleaseMarks): string | undefined {
  return functionVersion ?? (image === undefined ? undefined : tagOf(image)) ?? directory ?? checkout
}

/** The image of the first container of a task definition. */
export function imageOfDefinition(definition: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const containers = definition?.containerDefinitions
  const first: unknown = Array.isArray(containers) ? containers[0] : undefined
  const image: unknown = Reflect.get(Object(first), 'image')
  return typeof image === 'string' ? image : undefined
}

/** So much of a digest tells images apart. */
const digestLength = 12

/** The tag of an image; of one that is named by its digest, the beginning of that; without either, `latest`. */
function tagOf(image: string): string {
  const [name = '', digest] = image.split('@')
  const tag = name.split('/').at(-1)?.split(':')[1]
  if (tag !== undefined) return tag
  return digest === undefined
    ? 'latest'
    : digest.replace(/^(\w+:)(.*)$/, (_, kind, hex) => kind + hex.slice(0, digestLength))
}

/** The marks of what ran before a deployment, as far as it knows. */
export function previousMarksOf(data: DeploymentData | undefined): ReleaseMarks {
  switch (data?.type) {
    case 'cloud:ecs':
      return { image: imageOfDefinition(data.previousTaskDefinition?.definition) }
    case 'cloud:ec2':
      return { image: data.previousRelease?.imageUri, checkout: data.previousRelease?.source?.ref }
    case 'cloud:lambda':
      return { functionVersion: data.previousVersion }
    case 'cloud:static':
      return { directory: data.previousPrefix }
    case undefined:
      return {}
  }
}

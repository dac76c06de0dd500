import type { DeploymentData } from './deployment.ts'

// Imports types only, like `states.ts`.

/** Marks that distinguish one release from another. Which of them are set depends on the deployment type. */
export type ReleaseMarks = {
  /** Address of the image of a container or of a function. */
  image?: string | undefined
  /** Number of the published function version. */
  functionVersion?: string | undefined
  /** Directory in the bucket of a static site. */
  directory?: string | undefined
  /** Commit, tag or branch that machines check out before they run commands. */
  checkout?: string | undefined
}

/** Returns the known marks of a deployment. */
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

/** Returns the short version of a release, such as the tag of its image or the number of a function version. */
export function versionOf({ functionVersion, image, directory, checkout }: ReleaseMarks): string | undefined {
  return functionVersion ?? (image === undefined ? undefined : tagOf(image)) ?? directory ?? checkout
}

/** Returns the image of the first container of a task definition. */
export function imageOfDefinition(definition: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const containers = definition?.containerDefinitions
  const first: unknown = Array.isArray(containers) ? containers[0] : undefined
  const image: unknown = Reflect.get(Object(first), 'image')
  return typeof image === 'string' ? image : undefined
}

/** Number of characters of a digest that are enough to distinguish images. */
const digestLength = 12

/** Returns the tag of an image, the start of its digest if it has no tag, or `latest`. */
function tagOf(image: string): string {
  const [name = '', digest] = image.split('@')
  const tag = name.split('/').at(-1)?.split(':')[1]
  if (tag !== undefined) return tag
  return digest === undefined
    ? 'latest'
    : digest.replace(/^(\w+:)(.*)$/, (_, kind, hex) => kind + hex.slice(0, digestLength))
}

/** Returns the known marks of what ran before a deployment. */
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

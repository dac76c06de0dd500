import type { DeploymentData } from '@sluice/contract'
import type { Release } from '../types/release.ts'

/** Parts of an image reference. */
export type ImageReference = { reference: string; registry: string; repository: string; tag?: string; digest?: string }

/** Returns all images of a release; undefined if they are unknown. */
export function imagesOf(release: Release, data: DeploymentData): ImageReference[] | undefined {
  return references(release, data)?.map(imageAddress)
}

function references(release: Release, data: DeploymentData): string[] | undefined {
  switch (release.type) {
    case 'cloud:ecs': {
      const { taskDefinition } = release
      if ('register' in taskDefinition) return imagesOfDefinition(taskDefinition.register)
      return data.type === 'cloud:ecs' ? imagesOfDefinition(data.deployedTaskDefinition?.definition) : undefined
    }
    case 'cloud:ec2':
      return release.definition.runtime === 'container' ? [release.definition.imageUri] : []
    case 'cloud:lambda':
      if (release.code === undefined) return undefined
      return 'imageUri' in release.code ? [release.code.imageUri] : []
    case 'cloud:static':
      return []
  }
}

/** Returns the images of all containers of a task definition. */
function imagesOfDefinition(definition: Readonly<Record<string, unknown>> | undefined): string[] | undefined {
  const containers = definition?.containerDefinitions
  if (!Array.isArray(containers)) return undefined
  const images = containers.map((container): unknown => Reflect.get(Object(container), 'image'))
  return images.every((image) => typeof image === 'string') ? images : undefined
}

/**
 * Parses an image reference as container runtimes do. The first part is a registry only if it looks like a host,
 * otherwise the image is in Docker Hub. The default tag is `latest`.
 */
export function imageAddress(reference: string): ImageReference {
  const [name = '', digest] = reference.split('@')
  const [first = '', ...others] = name.split('/')
  const isHost = others.length > 0 && (/[.:]/.test(first) || first === 'localhost')
  const [path, registry] = isHost ? [others, first] : [[first, ...others], 'docker.io']
  const [last = '', tag] = (path.at(-1) ?? '').split(':')
  const named = [...path.slice(0, -1), last]
  const repository = registry === 'docker.io' && named.length === 1 ? `library/${last}` : named.join('/')
  const version = tag ?? (digest === undefined ? 'latest' : undefined)
  return {
    reference,
    registry,
    repository,
    ...(version !== undefined && { tag: version }),
    ...(digest !== undefined && { digest }),
  }
}

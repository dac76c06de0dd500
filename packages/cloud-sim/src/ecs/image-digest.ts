import { hash } from 'node:crypto'
import type { ContainerDefinition } from '@aws-sdk/client-ecs'
import { digestInRepository } from '../ecr/images.ts'
import type { World } from '../world.ts'
import type { Revision } from './service-records.ts'
import { ecs } from './state.ts'

/**
 * The digest of the image that an address means now. What is named by its digest has that; else it is what the tag was
 * moved to, or stands for in a repository of the registry, or what stands for it as long as nobody says otherwise.
 */
export function digestOf(world: World, image: string): string {
  const [named = '', digest] = image.split('@')
  if (digest !== undefined) return digest
  return (
    ecs(world).imageTags.get(named)?.digest ?? digestInRepository(world, named) ?? `sha256:${hash('sha256', named)}`
  )
}

/**
 * The digests that tasks of a service revision have: what the tags meant when the first of them was started ("Container
 * image resolution", developer guide, read 2026-11), unless a container does without.
 */
export function digestsOf(world: World, revision: Revision, containers: readonly ContainerDefinition[]): string[] {
  revision.digests ??= containers.map(({ image = '' }) => digestOf(world, image))
  ecs(world).revisions.save(revision)
  return containers.map(({ image = '', versionConsistency }, index) =>
    versionConsistency === 'disabled' ? digestOf(world, image) : (revision.digests?.[index] ?? ''),
  )
}

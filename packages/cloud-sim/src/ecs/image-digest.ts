import { hash } from 'node:crypto'
import type { ContainerDefinition } from '@aws-sdk/client-ecs'
import { digestInRepository } from '../ecr/images.ts'
import type { World } from '../world.ts'
import type { Revision } from './service-records.ts'
import { ecs } from './state.ts'

/**
 * Returns the digest of an image address: its own digest, else that of a moved tag, an image in a repository, or a
 * fixed digest derived from the address.
 */
export function digestOf(world: World, image: string): string {
  const [named = '', digest] = image.split('@')
  if (digest !== undefined) return digest
  return (
    ecs(world).imageTags.get(named)?.digest ?? digestInRepository(world, named) ?? `sha256:${hash('sha256', named)}`
  )
}

/**
 * Returns the digests of a revision's containers, resolved when its first task starts ("Container image resolution",
 * developer guide, read 2026-11), unless a container disables that.
 */
export function digestsOf(world: World, revision: Revision, containers: readonly ContainerDefinition[]): string[] {
  revision.digests ??= containers.map(({ image = '' }) => digestOf(world, image))
  ecs(world).revisions.save(revision)
  return containers.map(({ image = '', versionConsistency }, index) =>
    versionConsistency === 'disabled' ? digestOf(world, image) : (revision.digests?.[index] ?? ''),
  )
}

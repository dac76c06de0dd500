import type { ImageTagMutability } from '@aws-sdk/client-ecr'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { state } from '../world.ts'

/** Key: the repository's ARN. */
export interface Repository extends Row {
  scope: Scope
  name: string
  createdAt: number
  /** Whether tags may be moved; those that are given to an account have none, and may. */
  mutability?: ImageTagMutability
  images: Image[]
}

export interface Image {
  digest: string
  tags: string[]
  pushedAt: number
  bytes: number
  /** CPU architectures that it has a variant for, in the words of image configurations. One of them is no index. */
  architectures?: string[]
}

/** Key: scope and prefix. */
export interface PullThroughCacheRule extends Row {
  scope: Scope
  prefix: string
  upstreamRegistryUrl: string
  createdAt: number
}

/** A registry process that images are pushed to. There is one, of all accounts. */
export interface Registry extends Row {
  endpoint: string
}

/**
 * What the registry of images keeps. Nothing is ever pulled from it: tasks go by the names of images alone. Images that
 * are pushed go to a registry process, where there is one.
 */
export const ecr = state((world) => ({
  cacheRules: world.table<PullThroughCacheRule>('pull-through-cache-rule', { scope: (row) => row.scope }),
  registries: world.table<Registry>('image-registry'),
  repositories: world.table<Repository>('image-repository', { scope: (row) => row.scope }),
}))

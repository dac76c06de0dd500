import type { ImageTagMutability } from '@aws-sdk/client-ecr'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { defineState } from '../world.ts'

/** ECR repository. Key: its ARN. */
export interface Repository extends Row {
  scope: Scope
  name: string
  createdAt: number
  /** Tag mutability; declared repositories have none and allow moving tags. */
  mutability?: ImageTagMutability
  images: Image[]
}

export interface Image {
  digest: string
  tags: string[]
  pushedAt: number
  bytes: number
  /** CPU architectures as in image configurations. Several make the image an index. */
  architectures?: string[]
}

/** Pull-through cache rule of ECR. Key: scope and prefix. */
export interface PullThroughCacheRule extends Row {
  scope: Scope
  prefix: string
  upstreamRegistryUrl: string
  createdAt: number
}

/** Registry process for image pushes, shared by all accounts. */
export interface Registry extends Row {
  endpoint: string
}

/**
 * State of ECR. Tasks never pull from it but use image names. Pushed images are stored in a registry process, if there
 * is one.
 */
export const ecr = defineState((world) => ({
  cacheRules: world.table<PullThroughCacheRule>('pull-through-cache-rule', { scope: (row) => row.scope }),
  registries: world.table<Registry>('image-registry'),
  repositories: world.table<Repository>('image-repository', { scope: (row) => row.scope }),
}))

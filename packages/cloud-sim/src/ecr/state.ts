import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { state } from '../world.ts'

/** Key: the repository's ARN. */
export interface Repository extends Row {
  scope: Scope
  name: string
  createdAt: number
  images: Image[]
}

export interface Image {
  digest: string
  tags: string[]
  pushedAt: number
  bytes: number
}

/** What the registry of images keeps. Nothing is ever pulled from it: tasks go by the names of images alone. */
export const ecr = state((world) => ({
  repositories: world.table<Repository>('image-repository', { scope: (row) => row.scope }),
}))

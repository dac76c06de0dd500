import type { Row } from '../store.ts'
import type { XmlElement } from '../wire/xml.ts'
import { defineState } from '../world.ts'

/** CloudFront distribution. Key: the id. */
export interface Distribution extends Row {
  account: string
  arn: string
  domainName: string
  /** Configuration as received, which is returned unchanged. */
  config: XmlElement
  etag: string
  modifiedAt: number
  /** Cloud time at which the last change is deployed. */
  deployedAt: number
  tags: Record<string, string>
}

/** CloudFront invalidation. Key: the id. */
export interface Invalidation extends Row {
  distributionId: string
  callerReference: string
  paths: string[]
  createdAt: number
  /** Cloud time at which it completes; null: never. */
  completeAt: number | null
}

/** CloudFront key value store. Key: the ARN. */
export interface KeyValueStore extends Row {
  account: string
  id: string
  name: string
  comment?: string | undefined
  /** Version of the store itself. Its content has a separate version and modification time. */
  etag: string
  createdAt: number
  modifiedAt: number
  /** Cloud time at which it becomes ready. */
  readyAt: number
  contentEtag: string
  contentModifiedAt: number
  content: Record<string, string>
}

/** Tables of the simulated CloudFront. */
export const cloudFront = defineState((world) => ({
  distributions: world.table<Distribution>('distribution', { account: (row) => row.account }),
  invalidations: world.table<Invalidation>(
    'invalidation',
    { distribution: (row) => row.distributionId },
    { isEventual: true },
  ),
  keyValueStores: world.table<KeyValueStore>('key-value-store', { account: (row) => row.account }),
}))

import type { Row } from '../store.ts'
import type { XmlElement } from '../wire/xml.ts'
import { state } from '../world.ts'

/** Key: the id. */
export interface Distribution extends Row {
  account: string
  arn: string
  domainName: string
  /** The configuration as it came; it is shown so. */
  config: XmlElement
  etag: string
  modifiedAt: number
  /** Cloud time when the last change is everywhere. */
  deployedAt: number
  tags: Record<string, string>
}

/** Key: the id. */
export interface Invalidation extends Row {
  distributionId: string
  callerReference: string
  paths: string[]
  createdAt: number
  /** Cloud time when it is complete; null is never. */
  completeAt: number | null
}

/** Key: the ARN. */
export interface KeyValueStore extends Row {
  account: string
  id: string
  name: string
  comment?: string | undefined
  /** The version of the store itself; its content has another one, and another time of its last change. */
  etag: string
  createdAt: number
  modifiedAt: number
  /** Cloud time when it can be used. */
  readyAt: number
  contentEtag: string
  contentModifiedAt: number
  content: Record<string, string>
}

/** What the content network keeps. */
export const cloudFront = state((world) => ({
  distributions: world.table<Distribution>('distribution', { account: (row) => row.account }),
  invalidations: world.table<Invalidation>(
    'invalidation',
    { distribution: (row) => row.distributionId },
    { isEventual: true },
  ),
  keyValueStores: world.table<KeyValueStore>('key-value-store', { account: (row) => row.account }),
}))

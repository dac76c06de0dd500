import type { Row } from '../store.ts'
import { state } from '../world.ts'
import type { Body } from './bodies.ts'

/** Key: the name, which is the bucket's alone in the whole cloud. */
export interface Bucket extends Row {
  account: string
  region: string
  createdAt: number
  /** What was configured, by the name of the setting, as it came. */
  settings: Record<string, string>
}

/** Key: bucket and object key, with a space between. */
export interface StoredObject extends Row {
  bucket: string
  /** The object's key within its bucket. */
  name: string
  etag: string
  /** Base64. */
  content: string
  size: number
  modifiedAt: number
  /** What is given back with it: content type, cache control, the user's own metadata. */
  headers: Record<string, string>
  checksum?: Body['checksum']
}

/** What the storage service keeps. */
export const s3 = state((world) => ({
  buckets: world.table<Bucket>('bucket'),
  objects: world.table<StoredObject>('object', { bucket: (row) => row.bucket }),
}))

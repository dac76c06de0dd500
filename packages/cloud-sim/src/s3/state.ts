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
  tags?: Record<string, string> | undefined
  /** The document of its ACL, where one was set. */
  acl?: string | undefined
  /** Absent where it was stored while the bucket had no versions. */
  versionId?: string | undefined
}

/**
 * A version of an object that something came after, or a marker that it was deleted. Key: that of the object, and the
 * version's id.
 */
export interface StoredVersion extends Row {
  bucket: string
  name: string
  versionId: string
  /** They came after each other in this order. */
  nth: number
  modifiedAt: number
  /** Undefined of a marker. */
  object: StoredObject | undefined
}

/** An object that comes in parts. Key: its id. */
export interface Upload extends Row {
  bucket: string
  name: string
  startedAt: number
  /** What the object will be given back with. */
  headers: Record<string, string>
  tags?: Record<string, string> | undefined
  acl?: string | undefined
  /** Such as `CRC32`, where the parts come with checksums. */
  algorithm?: string | undefined
  /** `FULL_OBJECT` where the checksum is one of the whole. */
  checksumType?: string | undefined
}

/** Key: the upload and the number, with a space between. */
export interface Part extends Row {
  upload: string
  number: number
  etag: string
  /** Base64. */
  content: string
  size: number
  modifiedAt: number
  checksum?: Body['checksum']
}

/** What the storage service keeps. */
export const s3 = state((world) => ({
  buckets: world.table<Bucket>('bucket'),
  objects: world.table<StoredObject>('object', { bucket: (row) => row.bucket }, { isLarge: true }),
  versions: world.table<StoredVersion>(
    'object-version',
    { bucket: (row) => row.bucket, object: (row) => `${row.bucket} ${row.name}` },
    { isLarge: true },
  ),
  uploads: world.table<Upload>('upload', { bucket: (row) => row.bucket }),
  parts: world.table<Part>('upload-part', { upload: (row) => row.upload }, { isLarge: true }),
}))

import type { Row } from '../store.ts'
import { defineState } from '../world.ts'
import type { Body } from './bodies.ts'

/** Key: the name, which is unique across all accounts. */
export interface Bucket extends Row {
  account: string
  region: string
  createdAt: number
  /** Settings by name, as received. */
  settings: Record<string, string>
}

/** Key: bucket and object key, separated by a space. */
export interface StoredObject extends Row {
  bucket: string
  /** Object key within its bucket. */
  name: string
  etag: string
  /** Content in base64. */
  content: string
  size: number
  modifiedAt: number
  /** Headers returned with the object: content type, cache control, user metadata. */
  headers: Record<string, string>
  checksum?: Body['checksum']
  tags?: Record<string, string> | undefined
  /** Its ACL, if one was set. */
  acl?: string | undefined
  /** Absent if it was stored while versioning was off. */
  versionId?: string | undefined
}

/** Earlier version of an object, or a delete marker. Key: the object's key and the version id. */
export interface StoredVersion extends Row {
  bucket: string
  name: string
  versionId: string
  /** Sequence number that orders an object's versions. */
  nth: number
  modifiedAt: number
  /** Undefined for a delete marker. */
  object: StoredObject | undefined
}

/** Multipart upload. Key: its id. */
export interface Upload extends Row {
  bucket: string
  name: string
  startedAt: number
  /** Headers of the resulting object. */
  headers: Record<string, string>
  tags?: Record<string, string> | undefined
  acl?: string | undefined
  /** Checksum algorithm, such as `CRC32`, if parts have checksums. */
  algorithm?: string | undefined
  /** `FULL_OBJECT` if the checksum covers the whole object. */
  checksumType?: string | undefined
}

/** Key: the upload and the part number, separated by a space. */
export interface Part extends Row {
  upload: string
  number: number
  etag: string
  /** Content in base64. */
  content: string
  size: number
  modifiedAt: number
  checksum?: Body['checksum']
}

/** Tables of the simulated S3. */
export const s3 = defineState((world) => ({
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

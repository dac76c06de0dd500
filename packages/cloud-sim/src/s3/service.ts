import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { s3Operations, s3Protocol } from './operations.ts'
import { s3Rights } from './rights.ts'
import { s3 } from './state.ts'

export const s3Service: CloudService = {
  title: 'Amazon S3',
  differences: [
    'Buckets are named in the path. Virtual-hosted-style requests are not recognized.',
    'Only the account that created a bucket can use it, and only in its Region.',
    'Bucket settings are stored without effect, except versioning and object ownership.',
    'Tags and ACLs of objects are stored and returned, without effect on permissions.',
    '`UploadPartCopy` and reads by part number are rejected.',
    'An object whose key ends in `-locked` cannot be deleted.',
  ],
  protocol: s3Protocol,
  operations: s3Operations,
  rights: s3Rights,
  model: readModel('s3.model.json', import.meta.url),
  open: s3,
}

import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { s3Operations, s3Protocol } from './operations.ts'
import { s3 } from './state.ts'

export const s3Service: CloudService = {
  protocol: s3Protocol,
  operations: s3Operations,
  actions: {
    CopyObject: ['s3:GetObject', 's3:PutObject'],
    DeleteObjects: ['s3:DeleteObject'],
    HeadBucket: ['s3:ListBucket'],
    HeadObject: ['s3:GetObject'],
    ListBuckets: ['s3:ListAllMyBuckets'],
    ListObjectsV2: ['s3:ListBucket'],
  },
  model: readModel('s3.model.json', import.meta.url),
  open: s3,
}

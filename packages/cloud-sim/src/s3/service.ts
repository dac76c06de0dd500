import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { s3Operations, s3Protocol } from './operations.ts'
import { s3Rights } from './rights.ts'
import { s3 } from './state.ts'

export const s3Service: CloudService = {
  protocol: s3Protocol,
  operations: s3Operations,
  rights: s3Rights,
  model: readModel('s3.model.json', import.meta.url),
  open: s3,
}

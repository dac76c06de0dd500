import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { keyValueOperations, keyValueProtocol } from './key-values.ts'
import { cloudFrontOperations, cloudFrontProtocol } from './operations.ts'
import { cloudFrontRights, keyValueRights } from './rights.ts'
import { cloudFront } from './state.ts'

export const cloudFrontService: CloudService = {
  title: 'Amazon CloudFront',
  differences: [
    'Distributions serve nothing. Functions, cache policies and origin access control are not simulated.',
    'An invalidation of a path that ends in `-hang` never completes.',
  ],
  protocol: cloudFrontProtocol,
  operations: cloudFrontOperations,
  rights: cloudFrontRights,
  model: readModel('cloudfront.model.json', import.meta.url),
  open: cloudFront,
}

/** Data plane of key value stores, with its own endpoint. */
export const keyValueService: CloudService = {
  title: 'Amazon CloudFront KeyValueStore',
  differences: [],
  protocol: keyValueProtocol,
  operations: keyValueOperations,
  rights: keyValueRights,
  model: readModel('cloudfront-keyvaluestore.model.json', import.meta.url),
  open: cloudFront,
}

import { operations } from '../operation.ts'
import { queryErrors } from '../wire/query.ts'
import { restXml } from '../wire/rest-xml.ts'
import * as distributions from './distributions.ts'
import * as invalidations from './invalidations.ts'
import * as stores from './key-value-stores.ts'
import * as tags from './tags.ts'

/** Protocol of CloudFront, API version 2020-05-31. */
export const cloudFrontProtocol = restXml({
  errors: queryErrors,
  error: ({ code, message, status }, requestId) => ({
    ErrorResponse: {
      Error: { Type: status < 500 ? 'Sender' : 'Receiver', Code: code, Message: message },
      RequestId: requestId,
    },
  }),
})

export const cloudFrontOperations = operations({
  CreateDistribution: distributions.createDistribution,
  CreateDistributionWithTags: distributions.createDistributionWithTags,
  CreateInvalidation: invalidations.createInvalidation,
  CreateKeyValueStore: stores.createKeyValueStore,
  DeleteDistribution: distributions.deleteDistribution,
  DeleteKeyValueStore: stores.deleteKeyValueStore,
  DescribeKeyValueStore: stores.describeKeyValueStore,
  GetDistribution: distributions.getDistribution,
  GetDistributionConfig: distributions.getDistributionConfig,
  GetInvalidation: invalidations.getInvalidation,
  ListInvalidations: invalidations.listInvalidations,
  ListKeyValueStores: stores.listKeyValueStores,
  ListTagsForResource: tags.listTagsForResource,
  TagResource: tags.tagResource,
  UntagResource: tags.untagResource,
  UpdateDistribution: distributions.updateDistribution,
  UpdateKeyValueStore: stores.updateKeyValueStore,
})

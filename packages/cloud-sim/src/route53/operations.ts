import { operations } from '../operation.ts'
import { queryErrors } from '../wire/query.ts'
import { restXml } from '../wire/rest-xml.ts'
import * as changes from './changes.ts'
import * as records from './records.ts'
import * as tags from './tags.ts'
import * as zones from './zones.ts'

/** Protocol of Route 53, API version 2013-04-01. */
export const route53Protocol = restXml({
  errors: queryErrors,
  error: ({ code, message, status }, requestId) => ({
    ErrorResponse: {
      Error: { Type: status < 500 ? 'Sender' : 'Receiver', Code: code, Message: message },
      RequestId: requestId,
    },
  }),
})

export const route53Operations = operations({
  ChangeResourceRecordSets: records.changeResourceRecordSets,
  ChangeTagsForResource: tags.changeTagsForResource,
  CreateHostedZone: zones.createHostedZone,
  DeleteHostedZone: zones.deleteHostedZone,
  GetChange: changes.getChange,
  GetHostedZone: zones.getHostedZone,
  ListHostedZones: zones.listHostedZones,
  ListHostedZonesByName: zones.listHostedZonesByName,
  ListResourceRecordSets: records.listResourceRecordSets,
  ListTagsForResource: tags.listTagsForResource,
})

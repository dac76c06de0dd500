import { partitionOf } from '../arns.ts'
import { rights, type Where } from '../rights/right.ts'

const arn = (path: string, { caller }: Where) => `arn:${partitionOf(caller.region)}:route53:::${path}`

const zone = ({ Id }: { Id: string }, where: Where) => arn(`hostedzone/${Id}`, where)

const tagged = ({ ResourceType, ResourceId }: { ResourceType: string; ResourceId: string }, where: Where) =>
  arn(`${ResourceType}/${ResourceId}`, where)

export const route53Rights = rights({
  ChangeResourceRecordSets: zone,
  ChangeTagsForResource: tagged,
  DeleteHostedZone: zone,
  GetChange: ({ Id }: { Id: string }, where) => arn(`change/${Id}`, where),
  GetHostedZone: zone,
  ListResourceRecordSets: zone,
  ListTagsForResource: tagged,
})

import { partitionOf } from '../arns.ts'
import { defineIamPermissions, type PermissionContext } from '../rights/right.ts'

const arn = (path: string, { caller }: PermissionContext) => `arn:${partitionOf(caller.region)}:route53:::${path}`

const zone = ({ Id }: { Id: string }, where: PermissionContext) => arn(`hostedzone/${Id}`, where)

const tagged = ({ ResourceType, ResourceId }: { ResourceType: string; ResourceId: string }, where: PermissionContext) =>
  arn(`${ResourceType}/${ResourceId}`, where)

export const route53Rights = defineIamPermissions({
  ChangeResourceRecordSets: zone,
  ChangeTagsForResource: tagged,
  DeleteHostedZone: zone,
  GetChange: ({ Id }: { Id: string }, where) => arn(`change/${Id}`, where),
  GetHostedZone: zone,
  ListResourceRecordSets: zone,
  ListTagsForResource: tagged,
})

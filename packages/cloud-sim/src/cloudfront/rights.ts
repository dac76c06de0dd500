import { partitionOf } from '../arns.ts'
import { defineIamPermissions, type IamPermission, type PermissionContext } from '../rights/right.ts'
import { cloudFront } from './state.ts'

const arn = (path: string, { caller }: PermissionContext) =>
  `arn:${partitionOf(caller.region)}:cloudfront::${caller.accountId}:${path}`

const distribution = ({ Id, DistributionId }: { Id?: string; DistributionId?: string }, where: PermissionContext) =>
  arn(`distribution/${DistributionId ?? Id}`, where)

/** Returns a store's ARN, which policies identify by its id. */
function store({ Name }: { Name?: string }, where: PermissionContext): string {
  const { keyValueStores } = cloudFront(where.world)
  const found = keyValueStores.having('account', where.caller.accountId).find(({ name }) => name === Name)
  return found?.key ?? arn('key-value-store/*', where)
}

const tagged = ({ Resource = '*' }: { Resource?: string }) => Resource

export const cloudFrontRights = defineIamPermissions({
  CreateDistributionWithTags: (_input: object, where): IamPermission[] => [
    { action: 'cloudfront:CreateDistribution', resource: '*' },
    { action: 'cloudfront:TagResource', resource: arn('distribution/*', where) },
  ],
  CreateInvalidation: distribution,
  DeleteDistribution: distribution,
  DeleteKeyValueStore: store,
  DescribeKeyValueStore: store,
  GetDistribution: distribution,
  GetDistributionConfig: distribution,
  GetInvalidation: distribution,
  ListInvalidations: distribution,
  ListTagsForResource: tagged,
  TagResource: tagged,
  UntagResource: tagged,
  UpdateDistribution: distribution,
  UpdateKeyValueStore: store,
})

const inStore = ({ KvsARN = '*' }: { KvsARN?: string }) => KvsARN

/** Permissions for the content of stores. */
export const keyValueRights = defineIamPermissions({
  DeleteKey: inStore,
  DescribeKeyValueStore: inStore,
  GetKey: inStore,
  ListKeys: inStore,
  PutKey: inStore,
  UpdateKeys: inStore,
})

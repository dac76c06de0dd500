import type { SendCommandRequest } from '@aws-sdk/client-ssm'
import { arnIn, partitionOf } from '../arns.ts'
import { defineIamPermissions, type PermissionContext, passRolePermissionsFor } from '../rights/right.ts'
import { arnOf } from './parameters.ts'

type Named = { Name?: string }

/** Returns a document's ARN. AWS's own documents have no account. */
function document(name: string, { caller }: PermissionContext): string {
  if (name.startsWith('arn:')) return name
  if (!/^(AWS|Amazon)/.test(name)) return arnIn(caller.scope, 'ssm', `document/${name}`)
  return `arn:${partitionOf(caller.region)}:ssm:${caller.region}::document/${name}`
}

const byDocument = ({ Name = '' }: Named, where: PermissionContext) => document(Name, where)

const byParameter = ({ Name = '' }: Named, { caller }: PermissionContext) =>
  Name.startsWith('arn:') ? Name : arnOf(caller.scope, Name.replace(/:\w+$/, ''))

const tagged = (
  { ResourceType, ResourceId = '' }: { ResourceType?: string; ResourceId?: string },
  where: PermissionContext,
) => (ResourceType === 'Parameter' ? byParameter({ Name: ResourceId }, where) : document(ResourceId, where))

const instance = (id: string, { caller }: PermissionContext) =>
  id.startsWith('mi-')
    ? arnIn(caller.scope, 'ssm', `managed-instance/${id}`)
    : arnIn(caller.scope, 'ec2', `instance/${id}`)

export const ssmRights = defineIamPermissions({
  AddTagsToResource: tagged,
  CreateDocument: byDocument,
  DeleteDocument: byDocument,
  DeleteParameter: byParameter,
  DescribeDocument: byDocument,
  DescribeDocumentPermission: byDocument,
  GetDocument: byDocument,
  GetParameter: byParameter,
  GetParameters: ({ Names = [] }: { Names?: string[] }, where) => Names.map((Name) => byParameter({ Name }, where)),
  ListTagsForResource: tagged,
  PutParameter: byParameter,
  RemoveTagsFromResource: tagged,
  // For targets by tag, any instance.
  SendCommand: ({ DocumentName = '', InstanceIds, ServiceRoleArn }: SendCommandRequest, where) => [
    document(DocumentName, where),
    ...(InstanceIds?.length ? InstanceIds : ['*']).map((id) => instance(id, where)),
    ...passRolePermissionsFor('ssm.amazonaws.com', [ServiceRoleArn], where),
  ],
  UpdateDocument: byDocument,
  UpdateDocumentDefaultVersion: byDocument,
})

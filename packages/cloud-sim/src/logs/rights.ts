import { defineIamPermissions, type PermissionContext } from '../rights/right.ts'
import { arnOfGroup } from './groups.ts'

interface Named {
  logGroupName?: string
  logGroupIdentifier?: string
  logStreamName?: string
}

/** Returns the ARN of a group's streams. In policies, `log-group:NAME:*` covers them, `log-group:NAME` does not. */
function stream(
  { logGroupName, logGroupIdentifier = '', logStreamName = '' }: Named,
  { caller }: PermissionContext,
): string {
  const name = logGroupName ?? logGroupIdentifier
  const group = name.startsWith('arn:') ? name.replace(/:\*$/, '') : arnOfGroup(caller.scope, name)
  return `${group}:log-stream:${logStreamName}`
}

const group = ({ logStreamName: _, ...named }: Named, where: PermissionContext) => stream(named, where)

const tagged = ({ resourceArn = '*' }: { resourceArn?: string }) => resourceArn

export const logRights = defineIamPermissions({
  CreateLogGroup: group,
  CreateLogStream: stream,
  DeleteLogGroup: group,
  DeleteLogStream: stream,
  DescribeLogGroups: (_input: object, where) => group({}, where),
  DescribeLogStreams: group,
  FilterLogEvents: group,
  GetLogEvents: stream,
  ListTagsForResource: tagged,
  PutLogEvents: stream,
  PutRetentionPolicy: group,
  TagResource: tagged,
  UntagResource: tagged,
})

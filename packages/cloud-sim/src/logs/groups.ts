import type {
  CreateLogGroupRequest,
  DeleteLogGroupRequest,
  DescribeLogGroupsRequest,
  ListTagsForResourceRequest,
  PutRetentionPolicyRequest,
  TagResourceRequest,
  UntagResourceRequest,
} from '@aws-sdk/client-cloudwatch-logs'
import { arnIn, type Scope, scopeOfArn } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { page } from '../ecs/pages.ts'
import { CloudError, invalidParameter } from '../errors.ts'
import type { World } from '../world.ts'
import { cloudWatchLogs, type LogGroup } from './state.ts'

export const arnOfGroup = (scope: Scope, name: string) => arnIn(scope, 'logs', `log-group:${name}`)

export const resourceNotFound = (what: string) =>
  new CloudError('ResourceNotFoundException', `The specified ${what} does not exist.`)
export const alreadyExists = (what: string) =>
  new CloudError('ResourceAlreadyExistsException', `The specified ${what} already exists`)

export function createLogGroup(world: World, caller: Caller, input: CreateLogGroupRequest) {
  const { logGroupName: name = '', tags = {} } = input
  if (!/^[.\-_/#A-Za-z0-9]{1,512}$/.test(name)) throw invalidParameter(`The log group name '${name}' is not valid.`)
  if (cloudWatchLogs(world).groups.get(arnOfGroup(caller.scope, name))) throw alreadyExists('log group')
  openGroup(world, caller.scope, name, tags)
  return {}
}

/** Returns the log group with this name, creating it if needed. */
export function openGroup(world: World, scope: Scope, name: string, tags: Record<string, string> = {}): LogGroup {
  const key = arnOfGroup(scope, name)
  return (
    cloudWatchLogs(world).groups.get(key) ??
    cloudWatchLogs(world).groups.save({ key, scope, name, createdAt: world.clock.timestamp(), tags })
  )
}

/** Returns the log group of a request, by name or ARN. */
export function findGroup(world: World, caller: Caller, named: string | undefined): LogGroup {
  const name = named ?? ''
  const arn = name.startsWith('arn:') ? name.replace(/:\*$/, '') : arnOfGroup(caller.scope, name)
  const group = cloudWatchLogs(world).groups.get(arn)
  if (!group || scopeOfArn(arn) !== caller.scope) throw resourceNotFound('log group')
  return group
}

export function describeLogGroups(world: World, caller: Caller, input: DescribeLogGroupsRequest) {
  const found = cloudWatchLogs(world)
    .groups.having('scope', caller.scope)
    .filter(({ name }) => name.startsWith(input.logGroupNamePrefix ?? ''))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const { items, more } = page(found, { nextToken: input.nextToken, maxResults: input.limit }, 50, 50)
  return {
    logGroups: items.map(({ key, name, createdAt, retentionInDays }) => ({
      logGroupName: name,
      arn: `${key}:*`,
      logGroupArn: key,
      creationTime: createdAt,
      storedBytes: 0,
      metricFilterCount: 0,
      logGroupClass: 'STANDARD',
      ...(retentionInDays === undefined ? {} : { retentionInDays }),
    })),
    ...more,
  }
}

export function deleteLogGroup(world: World, caller: Caller, { logGroupName }: DeleteLogGroupRequest) {
  const group = findGroup(world, caller, logGroupName)
  for (const stream of cloudWatchLogs(world).streams.having('group', group.key)) {
    for (const batch of cloudWatchLogs(world).batches.having('stream', stream.key))
      cloudWatchLogs(world).batches.remove(batch)
    cloudWatchLogs(world).streams.remove(stream)
  }
  cloudWatchLogs(world).groups.remove(group)
  return {}
}

export function putRetentionPolicy(world: World, caller: Caller, input: PutRetentionPolicyRequest) {
  const { retentionInDays } = input
  cloudWatchLogs(world).groups.save(Object.assign(findGroup(world, caller, input.logGroupName), { retentionInDays }))
  return {}
}

export function listTagsForResource(world: World, caller: Caller, { resourceArn }: ListTagsForResourceRequest) {
  const { tags } = findGroup(world, caller, resourceArn)
  return Object.keys(tags).length > 0 ? { tags } : {} // the model has no empty map of tags
}

export function tagResource(world: World, caller: Caller, { resourceArn, tags }: TagResourceRequest) {
  const group = findGroup(world, caller, resourceArn)
  cloudWatchLogs(world).groups.save(Object.assign(group, { tags: { ...group.tags, ...tags } }))
  return {}
}

export function untagResource(world: World, caller: Caller, { resourceArn, tagKeys = [] }: UntagResourceRequest) {
  const group = findGroup(world, caller, resourceArn)
  const left = Object.entries(group.tags).filter(([key]) => !tagKeys.includes(key))
  cloudWatchLogs(world).groups.save(Object.assign(group, { tags: Object.fromEntries(left) }))
  return {}
}

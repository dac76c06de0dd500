import type {
  CreateOrUpdateTagsType,
  DeleteTagsType,
  DescribeTagsType,
  Filter,
  TagDescription,
} from '@aws-sdk/client-auto-scaling'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import { page } from './pages.ts'
import { findGroup } from './records.ts'
import { autoScaling } from './state.ts'

export function createOrUpdateTags(world: World, caller: Caller, { Tags = [] }: CreateOrUpdateTagsType) {
  for (const tag of Tags) {
    const group = findGroup(world, caller, tag.ResourceId)
    group.tags = [...group.tags.filter(({ Key }) => Key !== tag.Key), tag]
    autoScaling(world).groups.save(group)
  }
  return {}
}

export function deleteTags(world: World, caller: Caller, { Tags = [] }: DeleteTagsType) {
  for (const tag of Tags) {
    const group = findGroup(world, caller, tag.ResourceId)
    group.tags = group.tags.filter(({ Key }) => Key !== tag.Key)
    autoScaling(world).groups.save(group)
  }
  return {}
}

export function describeTags(world: World, caller: Caller, input: DescribeTagsType) {
  const { Filters = [] } = input
  const rows = autoScaling(world)
    .groups.having('scope', caller.scope)
    .flatMap(({ tags }) => tags)
    .filter((tag) => Filters.every((filter) => passes(tag, filter)))
    .map((tag) => ({ key: `${tag.ResourceId} ${tag.Key}`, tag }))
  const { items, NextToken } = page(rows, input)
  return { Tags: items.map(({ tag }) => tag), NextToken }
}

function passes(tag: TagDescription, { Name = '', Values = [] }: Filter): boolean {
  switch (Name) {
    case 'auto-scaling-group':
      return Values.includes(tag.ResourceId ?? '')
    case 'key':
      return Values.includes(tag.Key ?? '')
    case 'value':
      return Values.includes(tag.Value ?? '')
    case 'propagate-at-launch':
      return Values.includes(String(tag.PropagateAtLaunch ?? false))
    default:
      throw new CloudError(
        'ValidationError',
        `Filter type ${Name} is not correct. Correct types are: auto-scaling-group, key, value, propagate-at-launch`,
      )
  }
}

import type { ListTagsForResourceRequest, TagResourceRequest, UntagResourceRequest } from '@aws-sdk/client-eventbridge'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { withoutTags, withTags } from '../tag-list.ts'
import type { World } from '../world.ts'
import { eventBridge, type Rule } from './state.ts'

export function tagResource(world: World, caller: Caller, { ResourceARN, Tags = [] }: TagResourceRequest) {
  const rule = findTagged(world, caller, ResourceARN)
  eventBridge(world).rules.save(Object.assign(rule, { tags: withTags(rule.tags, Tags) }))
  return {}
}

export function untagResource(world: World, caller: Caller, { ResourceARN, TagKeys = [] }: UntagResourceRequest) {
  const rule = findTagged(world, caller, ResourceARN)
  eventBridge(world).rules.save(Object.assign(rule, { tags: withoutTags(rule.tags, TagKeys) }))
  return {}
}

export const listTagsForResource = (world: World, caller: Caller, { ResourceARN }: ListTagsForResourceRequest) => ({
  Tags: findTagged(world, caller, ResourceARN).tags,
})

function findTagged(world: World, caller: Caller, arn = ''): Rule {
  const rule = eventBridge(world).rules.get(arn)
  if (rule?.scope !== caller.scope) throw new CloudError('ResourceNotFoundException', `${arn} does not exist.`)
  return rule
}

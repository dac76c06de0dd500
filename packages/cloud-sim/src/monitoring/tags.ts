import type { ListTagsForResourceInput, TagResourceInput, UntagResourceInput } from '@aws-sdk/client-cloudwatch'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { withoutTags, withTags } from '../tag-list.ts'
import type { World } from '../world.ts'
import { type Alarm, cloudWatch } from './state.ts'

export function tagResource(world: World, caller: Caller, { ResourceARN, Tags = [] }: TagResourceInput) {
  const alarm = findAlarm(world, caller, ResourceARN)
  cloudWatch(world).alarms.save(Object.assign(alarm, { tags: withTags(alarm.tags, Tags) }))
  return {}
}

export function untagResource(world: World, caller: Caller, { ResourceARN, TagKeys = [] }: UntagResourceInput) {
  const alarm = findAlarm(world, caller, ResourceARN)
  cloudWatch(world).alarms.save(Object.assign(alarm, { tags: withoutTags(alarm.tags, TagKeys) }))
  return {}
}

export const listTagsForResource = (world: World, caller: Caller, { ResourceARN }: ListTagsForResourceInput) => ({
  Tags: findAlarm(world, caller, ResourceARN).tags,
})

function findAlarm(world: World, caller: Caller, arn = ''): Alarm {
  const alarm = cloudWatch(world).alarms.get(arn)
  if (alarm?.scope !== caller.scope) throw new CloudError('ResourceNotFoundException', `${arn} does not exist.`, 404)
  return alarm
}

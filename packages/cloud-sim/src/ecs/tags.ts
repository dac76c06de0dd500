import type { ListTagsForResourceRequest, Tag, TagResourceRequest, UntagResourceRequest } from '@aws-sdk/client-ecs'
import { scopeOfArn } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { invalidParameter } from '../errors.ts'
import type { World } from '../world.ts'
import { ecs } from './state.ts'
import { checkTags, maxTagsPerResource } from './tag-rules.ts'

export function tagResource(world: World, caller: Caller, { resourceArn, tags = [] }: TagResourceRequest) {
  const { row, save } = findTagged(world, caller, resourceArn)
  checkTags(tags)
  const kept = row.tags.filter(({ key }) => !tags.some((tag) => tag.key === key))
  if (kept.length + tags.length > maxTagsPerResource)
    throw invalidParameter(`A resource can have at most ${maxTagsPerResource} tags.`)
  row.tags = [...kept, ...tags]
  save()
  return {}
}

export function untagResource(world: World, caller: Caller, { resourceArn, tagKeys = [] }: UntagResourceRequest) {
  const { row, save } = findTagged(world, caller, resourceArn)
  row.tags = row.tags.filter(({ key }) => !tagKeys.includes(key ?? ''))
  save()
  return {}
}

export function listTagsForResource(world: World, caller: Caller, { resourceArn }: ListTagsForResourceRequest) {
  return { tags: findTagged(world, caller, resourceArn).row.tags }
}

function findTagged(world: World, caller: Caller, arn = ''): { row: { tags: Tag[] }; save: () => void } {
  if (scopeOfArn(arn) === caller.scope) {
    const cluster = ecs(world).clusters.get(arn)
    if (cluster) return { row: cluster, save: () => ecs(world).clusters.save(cluster) }
    const service = ecs(world).services.get(arn)
    if (service) return { row: service, save: () => ecs(world).services.save(service) }
    const definition = ecs(world).taskDefinitions.get(arn)
    if (definition) return { row: definition, save: () => ecs(world).taskDefinitions.save(definition) }
  }
  throw invalidParameter('The specified resource was not found.')
}

import type {
  AddTagsToResourceRequest,
  ListTagsForResourceRequest,
  RemoveTagsFromResourceRequest,
} from '@aws-sdk/client-ssm'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { type ListTag, withoutTags, withTags } from '../tag-list.ts'
import type { World } from '../world.ts'
import { ssm } from './state.ts'

export function addTagsToResource(world: World, caller: Caller, { Tags = [], ...named }: AddTagsToResourceRequest) {
  const tagged = findTagged(world, caller, named)
  tagged.save(withTags(tagged.tags, Tags))
  return {}
}

export function removeTagsFromResource(
  world: World,
  caller: Caller,
  { TagKeys = [], ...named }: RemoveTagsFromResourceRequest,
) {
  const tagged = findTagged(world, caller, named)
  tagged.save(withoutTags(tagged.tags, TagKeys))
  return {}
}

export const listTagsForResource = (world: World, caller: Caller, named: ListTagsForResourceRequest) => ({
  TagList: findTagged(world, caller, named).tags,
})

/** Finds a tagged document or parameter by name. */
function findTagged(world: World, { scope }: Caller, { ResourceType, ResourceId = '' }: ListTagsForResourceRequest) {
  const { documents, parameters } = ssm(world)
  const key = `${scope} ${ResourceId}`
  if (ResourceType === 'Document') {
    const document = documents.get(key)
    if (document) return { tags: document.tags, save: (tags: ListTag[]) => documents.save({ ...document, tags }) }
  } else if (ResourceType === 'Parameter') {
    const parameter = parameters.get(key)
    if (parameter) return { tags: parameter.tags, save: (tags: ListTag[]) => parameters.save({ ...parameter, tags }) }
  } else throw new CloudError('InvalidResourceType', `The simulated cloud has no tags of a ${ResourceType}.`)
  throw new CloudError('InvalidResourceId', 'The resource ID is not valid. Verify that you entered the correct ID.')
}

import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { child, children, childText, type Xml } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { dnsReply } from './answers.ts'
import { route53 } from './state.ts'
import { findZone } from './zones.ts'

interface Tagged {
  ResourceType: string
  ResourceId: string
}

export function changeTagsForResource(
  world: World,
  caller: Caller,
  { ChangeTagsForResourceRequest: asked, ...tagged }: Tagged & { ChangeTagsForResourceRequest?: Xml },
) {
  const zone = findTagged(world, caller, tagged)
  const gone = children(child(asked, 'RemoveTagKeys'), 'Key').map(String)
  const added = children(child(asked, 'AddTags'), 'Tag').map((tag) => [
    childText(tag, 'Key'),
    childText(tag, 'Value') ?? '',
  ])
  const kept = Object.entries(zone.tags).filter(([name]) => !gone.includes(name))
  route53(world).zones.save(
    Object.assign(zone, { tags: { ...Object.fromEntries(kept), ...Object.fromEntries(added) } }),
  )
  return dnsReply('ChangeTagsForResourceResponse', {})
}

export function listTagsForResource(world: World, caller: Caller, tagged: Tagged) {
  const { tags } = findTagged(world, caller, tagged)
  const Tag = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
  const { ResourceType, ResourceId } = tagged
  return dnsReply('ListTagsForResourceResponse', { ResourceTagSet: { ResourceType, ResourceId, Tags: { Tag } } })
}

function findTagged(world: World, caller: Caller, { ResourceType, ResourceId }: Tagged) {
  if (ResourceType === 'hostedzone') return findZone(world, caller, ResourceId)
  throw new CloudError('InvalidInput', 'The simulated cloud has tags of hosted zones alone.')
}

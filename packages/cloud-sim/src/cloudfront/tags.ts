import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { Reply } from '../wire/protocol.ts'
import { child, children, childText, type Xml } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { cdnReply } from './answers.ts'
import { cloudFront, type Distribution } from './state.ts'

type Asked = { Resource: string }

export function listTagsForResource(world: World, caller: Caller, { Resource }: Asked) {
  const Tag = Object.entries(findTagged(world, caller, Resource).tags).map(([Key, Value]) => ({ Key, Value }))
  return cdnReply('Tags', { Items: { Tag } })
}

export function tagResource(world: World, caller: Caller, { Resource, Tags }: Asked & { Tags?: Xml }) {
  const distribution = findTagged(world, caller, Resource)
  cloudFront(world).distributions.save(
    Object.assign(distribution, { tags: { ...distribution.tags, ...readTags(Tags) } }),
  )
  return new Reply(204)
}

export function untagResource(world: World, caller: Caller, { Resource, TagKeys }: Asked & { TagKeys?: Xml }) {
  const distribution = findTagged(world, caller, Resource)
  const gone = children(child(TagKeys, 'Items'), 'Key')
  const tags = Object.fromEntries(Object.entries(distribution.tags).filter(([name]) => !gone.includes(name)))
  cloudFront(world).distributions.save(Object.assign(distribution, { tags }))
  return new Reply(204)
}

export const readTags = (tags: Xml | undefined): Record<string, string> =>
  Object.fromEntries(
    children(child(tags, 'Items'), 'Tag').map((tag) => [childText(tag, 'Key') ?? '', childText(tag, 'Value') ?? '']),
  )

function findTagged(world: World, caller: Caller, arn: string): Distribution {
  const distribution = cloudFront(world)
    .distributions.having('account', caller.accountId)
    .find((row) => row.arn === arn)
  if (!distribution) throw new CloudError('NoSuchResource', `The resource ${arn} was not found.`, 404)
  return distribution
}

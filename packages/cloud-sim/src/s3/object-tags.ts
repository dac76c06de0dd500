import type { Caller } from '../callers.ts'
import { Reply } from '../wire/protocol.ts'
import { child, children, childText, type Xml } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { s3Reply } from './answers.ts'
import { findBucket } from './buckets.ts'
import { type NamedObject, objectAt } from './objects.ts'
import { checkedTags } from './tag-rules.ts'
import { changeVersion, versionHeader } from './versions.ts'

export function getObjectTagging(world: World, caller: Caller, asked: NamedObject) {
  const bucket = findBucket(world, caller, asked.Bucket)
  const { tags = {}, versionId } = objectAt(world, bucket, asked)
  const Tag = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
  return s3Reply('Tagging', { TagSet: { Tag } }, versionHeader(bucket, versionId))
}

export function putObjectTagging(world: World, caller: Caller, asked: NamedObject & { Tagging?: Xml }) {
  const bucket = findBucket(world, caller, asked.Bucket)
  const object = objectAt(world, bucket, asked)
  const given = children(child(asked.Tagging, 'TagSet'), 'Tag')
  changeVersion(world, object, {
    tags: checkedTags(given.map((tag) => [childText(tag, 'Key') ?? '', childText(tag, 'Value') ?? ''])),
  })
  return new Reply(200, versionHeader(bucket, object.versionId))
}

export function deleteObjectTagging(world: World, caller: Caller, asked: NamedObject) {
  const bucket = findBucket(world, caller, asked.Bucket)
  const object = objectAt(world, bucket, asked)
  changeVersion(world, object, { tags: undefined })
  return new Reply(204, versionHeader(bucket, object.versionId))
}

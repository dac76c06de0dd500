import type { Caller } from '../callers.ts'
import { type HttpRequest, Reply } from '../wire/protocol.ts'
import type { World } from '../world.ts'
import { aclToSet, privateAcl } from './acls.ts'
import { findBucket } from './buckets.ts'
import { type NamedObject, objectAt } from './objects.ts'
import { changeVersion, versionHeader } from './versions.ts'

export function getObjectAcl(world: World, caller: Caller, asked: NamedObject) {
  const bucket = findBucket(world, caller, asked.Bucket)
  const { acl = privateAcl, versionId } = objectAt(world, bucket, asked)
  return new Reply(200, { 'content-type': 'application/xml', ...versionHeader(bucket, versionId) }, acl)
}

export function putObjectAcl(world: World, caller: Caller, asked: NamedObject, request: HttpRequest) {
  const bucket = findBucket(world, caller, asked.Bucket)
  const object = objectAt(world, bucket, asked)
  changeVersion(world, object, { acl: aclToSet(bucket, request) })
  return new Reply(200, versionHeader(bucket, object.versionId))
}

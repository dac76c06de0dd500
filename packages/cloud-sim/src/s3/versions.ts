import { urlSafe } from '../ids.ts'
import type { World } from '../world.ts'
import { type Bucket, type StoredObject, type StoredVersion, s3 } from './state.ts'

/** What a version is called that was stored while the bucket had no versions. */
export const noVersion = 'null'

/** A version as lists and requests name it: that of the object as it is, or one that something came after. */
export type Version = { versionId: string; modifiedAt: number; object: StoredObject | undefined; isLatest: boolean }

/** Whether new objects leave those before them, and under which names; undefined where it never was so. */
const versioningOf = ({ settings }: Bucket): 'Enabled' | 'Suspended' | undefined => {
  const [, status] = /<Status>(Enabled|Suspended)<\/Status>/.exec(settings.versioning ?? '') ?? []
  return status as 'Enabled' | 'Suspended' | undefined
}

/** The headers that name a version; none in a bucket that never had versions. */
export const versionHeader = (bucket: Bucket, versionId = noVersion): Record<string, string> =>
  versioningOf(bucket) === undefined ? {} : { 'x-amz-version-id': versionId }

/** Keeps what is there aside, as far as the bucket wants that; the name of what is stored in its place. */
export function setAside(world: World, bucket: Bucket, name: string): string | undefined {
  const versioning = versioningOf(bucket)
  const current = s3(world).objects.get(keyOf(bucket.key, name))
  if (versioning !== 'Enabled') forgetNull(world, bucket.key, name)
  if (current && versioning !== undefined && !(versioning === 'Suspended' && idOf(current) === noVersion)) {
    archive(world, {
      bucket: bucket.key,
      name,
      versionId: idOf(current),
      modifiedAt: current.modifiedAt,
      object: current,
    })
  }
  return versioning === 'Enabled' ? urlSafe(32) : undefined
}

/** Deletes an object; the marker that stands in its place, where the bucket has versions. */
export function removeCurrent(world: World, bucket: Bucket, name: string): { markerId: string } | undefined {
  const versionId = setAside(world, bucket, name) ?? noVersion
  const current = s3(world).objects.get(keyOf(bucket.key, name))
  if (current) s3(world).objects.remove(current)
  if (versioningOf(bucket) === undefined) return undefined
  const modifiedAt = world.clock.timestamp()
  archive(world, { bucket: bucket.key, name, versionId, modifiedAt, object: undefined })
  return { markerId: versionId }
}

/** Deletes a version for good, and what came before it is there again; undefined where there is none of that name. */
export function removeVersion(
  world: World,
  bucket: Bucket,
  name: string,
  id: string,
): { isMarker: boolean } | undefined {
  const current = s3(world).objects.get(keyOf(bucket.key, name))
  const earlier = earlierOf(world, bucket.key, name)
  if (current && idOf(current) === id) {
    s3(world).objects.remove(current)
    restoreLast(world, earlier)
    return { isMarker: false }
  }
  const found = earlier.find(({ versionId }) => versionId === id)
  if (!found) return undefined
  s3(world).versions.remove(found)
  if (!current)
    restoreLast(
      world,
      earlier.filter((one) => one !== found),
    )
  return { isMarker: found.object === undefined }
}

/** Changes what is stored of a version of an object, without making a new one. */
export function changeVersion(world: World, object: StoredObject, changes: Pick<StoredObject, 'tags' | 'acl'>): void {
  const { bucket, name } = object
  Object.assign(object, changes)
  const archived = earlierOf(world, bucket, name).find((version) => version.object === object)
  if (archived) s3(world).versions.save(archived)
  else s3(world).objects.save(object)
}

/** All versions of an object, the newest first. */
export function versionsOf(world: World, bucket: string, name: string): Version[] {
  const current = s3(world).objects.get(keyOf(bucket, name))
  const earlier = earlierOf(world, bucket, name)
  const all = [
    ...(current ? [{ versionId: idOf(current), modifiedAt: current.modifiedAt, object: current }] : []),
    ...earlier.toReversed(),
  ]
  return all.map(({ versionId, modifiedAt, object }, index) => ({
    ...{ versionId, modifiedAt, object, isLatest: index === 0 },
  }))
}

/** The names of all objects that a bucket has, or had, in no order. */
export const namesIn = (world: World, bucket: string): string[] => [
  ...new Set(
    [...s3(world).objects.having('bucket', bucket), ...s3(world).versions.having('bucket', bucket)].map(
      (row) => row.name,
    ),
  ),
]

/** The key of an object's row. */
export const keyOf = (bucket: string, name: string) => `${bucket} ${name}`

const idOf = ({ versionId = noVersion }: StoredObject): string => versionId

/** Those that something came after, the oldest first. */
const earlierOf = (world: World, bucket: string, name: string): StoredVersion[] =>
  s3(world)
    .versions.having('object', keyOf(bucket, name))
    .sort((one, other) => one.nth - other.nth)

function archive(
  world: World,
  version: Pick<StoredVersion, 'bucket' | 'name' | 'versionId' | 'modifiedAt' | 'object'>,
) {
  const { bucket, name, versionId, object } = version
  const nth = (earlierOf(world, bucket, name).at(-1)?.nth ?? 0) + 1
  const kept = object && { ...object }
  s3(world).versions.save({ ...version, object: kept, key: `${keyOf(bucket, name)} ${versionId}`, nth })
}

/** There is one without a name at most. */
function forgetNull(world: World, bucket: string, name: string): void {
  const known = earlierOf(world, bucket, name).find(({ versionId }) => versionId === noVersion)
  if (known) s3(world).versions.remove(known)
}

/** The newest that is left is the object again, unless it is a marker. */
function restoreLast(world: World, earlier: readonly StoredVersion[]): void {
  const last = earlier.at(-1)
  if (!last?.object) return
  s3(world).versions.remove(last)
  s3(world).objects.save({ ...last.object })
}

import { urlSafe } from '../ids.ts'
import type { World } from '../world.ts'
import { type Bucket, type StoredObject, type StoredVersion, s3 } from './state.ts'

/** Version id of objects stored while versioning was off. */
export const noVersion = 'null'

/** Current or earlier version, or delete marker, of an object. */
export type Version = { versionId: string; modifiedAt: number; object: StoredObject | undefined; isLatest: boolean }

/** Returns the versioning state, or undefined if it was never enabled. */
const versioningOf = ({ settings }: Bucket): 'Enabled' | 'Suspended' | undefined => {
  const [, status] = /<Status>(Enabled|Suspended)<\/Status>/.exec(settings.versioning ?? '') ?? []
  return status as 'Enabled' | 'Suspended' | undefined
}

/** Returns the version header, or none if versioning was never enabled. */
export const versionHeader = (bucket: Bucket, versionId = noVersion): Record<string, string> =>
  versioningOf(bucket) === undefined ? {} : { 'x-amz-version-id': versionId }

/**
 * Preserves the current object as an earlier version, if versioning is on. Returns the version id for its successor.
 */
export function preserveCurrent(world: World, bucket: Bucket, name: string): string | undefined {
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

/** Deletes an object. With versioning, adds a delete marker and returns its id. */
export function removeCurrent(world: World, bucket: Bucket, name: string): { markerId: string } | undefined {
  const versionId = preserveCurrent(world, bucket, name) ?? noVersion
  const current = s3(world).objects.get(keyOf(bucket.key, name))
  if (current) s3(world).objects.remove(current)
  if (versioningOf(bucket) === undefined) return undefined
  const modifiedAt = world.clock.timestamp()
  archive(world, { bucket: bucket.key, name, versionId, modifiedAt, object: undefined })
  return { markerId: versionId }
}

/** Deletes a version permanently, which may restore its predecessor. Returns undefined if it does not exist. */
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

/** Changes an object version's metadata without creating a new version. */
export function changeVersion(world: World, object: StoredObject, changes: Pick<StoredObject, 'tags' | 'acl'>): void {
  const { bucket, name } = object
  Object.assign(object, changes)
  const archived = earlierOf(world, bucket, name).find((version) => version.object === object)
  if (archived) s3(world).versions.save(archived)
  else s3(world).objects.save(object)
}

/** Returns all versions of an object, newest first. */
export function versionsOf(world: World, bucket: string, name: string): Version[] {
  const current = s3(world).objects.get(keyOf(bucket, name))
  const earlier = earlierOf(world, bucket, name)
  const all = [
    ...(current ? [{ versionId: idOf(current), modifiedAt: current.modifiedAt, object: current }] : []),
    ...earlier.toReversed(),
  ]
  return all.map(({ versionId, modifiedAt, object }, index) => ({
    versionId,
    modifiedAt,
    object,
    isLatest: index === 0,
  }))
}

/** Returns the keys of all objects with any version, unsorted. */
export const namesIn = (world: World, bucket: string): string[] => [
  ...new Set(
    [...s3(world).objects.having('bucket', bucket), ...s3(world).versions.having('bucket', bucket)].map(
      (row) => row.name,
    ),
  ),
]

export const keyOf = (bucket: string, name: string) => `${bucket} ${name}`

const idOf = ({ versionId = noVersion }: StoredObject): string => versionId

/** Returns the earlier versions of an object, oldest first. */
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

/** Deletes the null version, of which there is at most one. */
function forgetNull(world: World, bucket: string, name: string): void {
  const known = earlierOf(world, bucket, name).find(({ versionId }) => versionId === noVersion)
  if (known) s3(world).versions.remove(known)
}

/** Makes the newest remaining version current, unless it is a delete marker. */
function restoreLast(world: World, earlier: readonly StoredVersion[]): void {
  const last = earlier.at(-1)
  if (!last?.object) return
  s3(world).versions.remove(last)
  s3(world).objects.save({ ...last.object })
}

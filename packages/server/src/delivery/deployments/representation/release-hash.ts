import { createHash } from 'node:crypto'
import { storableJson } from '../../../platform/db/storable.ts'
import type { Release } from '../types/release.ts'

/**
 * Returns a hash that is equal for equal releases, whatever the order of their members. Not for responses: without a
 * key, secrets in a release could be guessed. It is that of the release as it is stored, without the digests by which a
 * promotion rejects other code or files: they do not change what is released.
 */
export function releaseHash(release: Release): string {
  const { codeSha256: _, contentDigest: __, ...released } = JSON.parse(storableJson(release)) as Record<string, unknown>
  return createHash('sha256').update(JSON.stringify(released, sorted)).digest('hex')
}

const sorted = (_: string, value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))

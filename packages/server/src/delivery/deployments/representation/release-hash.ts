import { createHash } from 'node:crypto'
import { storableJson } from '../../../platform/db/storable.ts'
import type { Release } from '../types/release.ts'

/**
 * Returns a hash that is equal for equal releases, whatever the order of their members. Not for responses: without a
 * key, secrets in a release could be guessed. It is that of the release as it is stored.
 */
export const releaseHash = (release: Release): string =>
  createHash('sha256')
    .update(JSON.stringify(JSON.parse(storableJson(release)), sorted))
    .digest('hex')

const sorted = (_: string, value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))

import { isSigned, type Secrets, sign } from '../../../platform/crypto/keys.ts'
import type { Release } from '../types/release.ts'

/**
 * Digests of what a deployment releases. They are keyed, because a release may contain values that viewers must not
 * find by guessing, such as environment variables of a container.
 */
export type ReleaseDigests = {
  of(release: Release): string
  isOf(release: Release, digest: string): boolean
}

export const createReleaseDigests = (secrets: Secrets): ReleaseDigests => ({
  of: (release) => sign(secrets, textOf(release)).toString('base64url'),
  isOf: (release, digest) => isSigned(secrets, textOf(release), Buffer.from(digest, 'base64url')),
})

/**
 * Serializes a release as read from the database, which always returns the names of a JSON object in the same order.
 */
const textOf = (release: Release): string => JSON.stringify(release)

import { isSigned, type Secrets, sign } from '../../../platform/crypto/keys.ts'
import type { Release } from '../types/release.ts'

/**
 * What a deployment releases, in short. Releases may hold what viewers must not guess at, such as variables of a
 * container: so nobody without our key can try values until one has this digest.
 */
export type ReleaseDigests = {
  of(release: Release): string
  isOf(release: Release, digest: string): boolean
}

export const createReleaseDigests = (secrets: Secrets): ReleaseDigests => ({
  of: (release) => sign(secrets, textOf(release)).toString('base64url'),
  isOf: (release, digest) => isSigned(secrets, textOf(release), Buffer.from(digest, 'base64url')),
})

/** As the database gives it, which always has the names of a JSON object in the same order. */
const textOf = (release: Release): string => JSON.stringify(release)

/** Number of characters by which Git hosts abbreviate a commit. */
const commitLength = 7

/** Abbreviates a version that is a commit or a digest, which would fill a column; others are returned as they are. */
export function shortVersion(version: string): string {
  const [, hash] = /^(?:sha256:)?([0-9a-f]{20,})$/.exec(version) ?? []
  return hash === undefined ? version : hash.slice(0, commitLength)
}

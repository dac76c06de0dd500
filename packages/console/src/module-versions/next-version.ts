/** Returns the next minor version after the latest one. */
export function nextVersion(latest: string | undefined): string {
  const [, major, minor] = /^(\d+)\.(\d+)\.\d+/.exec(latest ?? '') ?? []
  return minor === undefined ? '1.0.0' : `${major}.${Number(minor) + 1}.0`
}

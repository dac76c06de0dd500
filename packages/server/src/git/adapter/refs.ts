/** The branch of `refs/heads/…`; undefined for tags and others. */
export const branchIn = (ref: string): string | undefined =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined

/** Hosts write a commit that is not there as zeros. */
export const commitOrNull = (commit: string): string | null => (/^0+$/.test(commit) ? null : commit)

/** When the commit was made, in UTC; undefined where the host does not list it, or tells no moment. */
export function committedAtOf(
  commits: readonly { id?: string; timestamp?: string }[],
  commit: string,
): string | undefined {
  const ms = Date.parse(commits.find(({ id }) => id === commit)?.timestamp ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

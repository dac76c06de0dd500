/** The branch of `refs/heads/…`; undefined for tags and others. */
export const branchIn = (ref: string): string | undefined =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined

/** Hosts write a commit that is not there as zeros. */
export const commitOrNull = (commit: string): string | null => (/^0+$/.test(commit) ? null : commit)

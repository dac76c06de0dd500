/** The branch of `refs/heads/…`; undefined for tags and others. */
export const branchIn = (ref: string): string | undefined =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined

/** The tag of `refs/tags/…`. */
export const tagIn = (ref: string): string | undefined =>
  ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : undefined

/** Hosts write a commit that is not there as zeros. */
export const commitOrNull = (commit: string): string | null => (/^0+$/.test(commit) ? null : commit)

/** The files of the commits that a host lists; null where it lists none, as of a branch that was reset or is new. */
export const pathsListed = (files: readonly (readonly string[])[]): string[] | null =>
  files.length === 0 ? null : [...new Set(files.flat())]

/** Undefined where the host tells no moment. */
export function momentIn(text: string | undefined): Date | undefined {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms)
}

/** What people wrote is read where it is a text: a push is not lost for want of it. */
type Told = { id?: string; timestamp?: string; message?: unknown; author?: unknown }

/** What is told of a commit, for people. */
export type CommitFacts = {
  committedAt?: string | undefined
  author?: string | undefined
  authorEmail?: string | undefined
  message?: string | undefined
}

/** More of what authors say is not kept. Characters. */
const longestAuthor = 200
const longestMessage = 500

/** What the host tells of the commit, its moment in UTC; nothing where the host does not list it. */
export function commitFactsOf(commits: readonly Told[], commit: string): CommitFacts {
  const { timestamp, author, message } = commits.find(({ id }) => id === commit) ?? {}
  return {
    committedAt: momentIn(timestamp)?.toISOString(),
    author: cut(Reflect.get(Object(author), 'name'), longestAuthor),
    authorEmail: cut(Reflect.get(Object(author), 'email'), longestAuthor),
    message: cut(message, longestMessage),
  }
}

/** As the database takes it: it refuses NUL, and half of a character that was cut in two. */
const cut = (text: unknown, longest: number): string | undefined =>
  (typeof text === 'string' && text.replaceAll('\0', '').slice(0, longest).toWellFormed()) || undefined

/** Returns the branch of `refs/heads/…`, or undefined for other refs. */
export const branchIn = (ref: string): string | undefined =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined

/** Returns the tag of `refs/tags/…`, or undefined for other refs. */
export const tagIn = (ref: string): string | undefined =>
  ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : undefined

/** Returns the commit, or null for the zeros that hosts send for a missing one. */
export const commitOrNull = (commit: string): string | null => (/^0+$/.test(commit) ? null : commit)

/** Returns the distinct paths of the listed commits; null if none are listed, as for a reset or new branch. */
export const pathsListed = (files: readonly (readonly string[])[]): string[] | null =>
  files.length === 0 ? null : [...new Set(files.flat())]

/** Parses a date, or returns undefined if it is missing or invalid. */
export function dateIn(text: string | undefined): Date | undefined {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms)
}

/** Commit as sent by the host. Fields written by people are not validated, so that odd values do not lose the push. */
type SentCommit = { id?: string; timestamp?: string; message?: unknown; author?: unknown }

/** Commit details for display. */
export type CommitFacts = {
  committedAt?: string | undefined
  author?: string | undefined
  authorEmail?: string | undefined
  message?: string | undefined
}

/** Maximum lengths of stored author names and messages, in characters. */
const maxAuthorLength = 200
const maxMessageLength = 500

/** Returns the details of the commit with its time in UTC, or nothing if the host does not list it. */
export function commitFactsOf(commits: readonly SentCommit[], commit: string): CommitFacts {
  const { timestamp, author, message } = commits.find(({ id }) => id === commit) ?? {}
  return {
    committedAt: dateIn(timestamp)?.toISOString(),
    author: cut(Reflect.get(Object(author), 'name'), maxAuthorLength),
    authorEmail: cut(Reflect.get(Object(author), 'email'), maxAuthorLength),
    message: cut(message, maxMessageLength),
  }
}

/** Truncates text and removes NUL and lone surrogates, which PostgreSQL rejects. */
const cut = (text: unknown, maxLength: number): string | undefined =>
  (typeof text === 'string' && text.replaceAll('\0', '').slice(0, maxLength).toWellFormed()) || undefined

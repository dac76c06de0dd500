import Type, { type Static } from 'typebox'
import type { Ask } from './ask.ts'
import { GitAccessLost } from './errors.ts'
import type { PageOfGithostb } from './githostb-pages.ts'
import {
  type CommitFacts,
  type EntryFacts,
  maxCommitPages,
  maxEntries,
  maxFileBytes,
  maxRefPages,
  type RepositoryContents,
} from './host.ts'
import { firstPages, pageSize } from './pages.ts'
import { dateIn } from './refs.ts'

interface Parts {
  /** URL of the project in the API. */
  at: string
  ours: Ask
  pageOf: PageOfGithostb
}

/** Reads the contents of a GitLab project. */
export function createContentsAtB({ at, ours, pageOf }: Parts): RepositoryContents {
  const commitOf = async (ref: string) =>
    (await ours(Commit, { url: `${at}/repository/commits/${encodeURIComponent(ref)}` })).body.id

  /** Returns a file's size, or undefined if it is no file but perhaps a directory. */
  async function sizeOfFile(place: string): Promise<number | undefined> {
    try {
      const { headers } = await ours(Type.Unknown(), { method: 'HEAD', url: place })
      return Number(headers.get('x-gitlab-size'))
    } catch (error) {
      if (error instanceof GitAccessLost && error.isMissing) return undefined
      throw error
    }
  }

  async function directory(path: string, ref: string) {
    const list = `/repository/tree?${new URLSearchParams({ path, ref })}`
    const { items, isComplete } = await firstPages((page) => pageOf(Entry, list, page), maxEntries / pageSize)
    // Git has no empty directories, but old GitLab servers return a missing path as an empty one.
    if (items.length === 0 && path !== '') throw new GitAccessLost(`There is no ${path}.`, { isMissing: true })
    return { type: 'DIRECTORY', items: items.map(entryOf), isComplete } as const
  }

  return {
    async refs(type) {
      const list = type === 'BRANCH' ? '/repository/branches' : '/repository/tags'
      const { items, isComplete } = await firstPages((page) => pageOf(Ref, list, page), maxRefPages)
      return { items: items.map(({ name, commit }) => ({ name, commit: commit.id })), isComplete }
    },

    // Resolved to ids first, because a range combines both names in one string. GitLab lists the newest commit first.
    async commitsBetween(from, to) {
      const [first, last] = await Promise.all([commitOf(from), commitOf(to)])
      const list = `/repository/commits?ref_name=${first}..${last}`
      const { items, isComplete } = await firstPages((page) => pageOf(Commit, list, page), maxCommitPages)
      return { items: items.map(factsOf), isComplete }
    },

    async mergedPullRequests(commit) {
      const list = `${at}/repository/commits/${commit}/merge_requests?state=merged`
      const { body } = await ours(Type.Array(MergeRequest), { url: list })
      return body.map(({ iid, title, web_url: url, author }) => ({
        number: iid,
        title,
        url,
        authorName: author?.name,
      }))
    },

    async contents(path, ref = 'HEAD') {
      if (path === '') return directory(path, ref)
      const place = `${at}/repository/files/${encodeURIComponent(path)}?${new URLSearchParams({ ref })}`
      const bytes = await sizeOfFile(place)
      if (bytes === undefined) return directory(path, ref)
      if (bytes > maxFileBytes) return { type: 'FILE', bytes, content: undefined }
      const { body } = await ours(File, { url: place })
      const content = Buffer.from(body.content, 'base64')
      return { type: 'FILE', bytes: content.length, content }
    },
  }
}

const Ref = Type.Object({ name: Type.String(), commit: Type.Object({ id: Type.String() }) })
const Commit = Type.Object({
  id: Type.String({ pattern: '^[0-9a-f]{40,64}$' }),
  message: Type.String(),
  author_name: Type.String(),
  committed_date: Type.Optional(Type.String()),
  web_url: Type.String(),
})
const MergeRequest = Type.Object({
  iid: Type.Integer(),
  title: Type.String(),
  web_url: Type.String(),
  author: Type.Optional(Type.Union([Type.Object({ name: Type.String() }), Type.Null()])),
})
const File = Type.Object({ content: Type.String() })
const Entry = Type.Object({ name: Type.String(), type: Type.String(), mode: Type.String() })

const factsOf = ({ id, message, author_name, committed_date, web_url: url }: Static<typeof Commit>): CommitFacts => ({
  id,
  message,
  authorName: author_name,
  committedAt: dateIn(committed_date),
  url,
})

/** Git's file mode of symbolic links. */
const modeOfLink = '120000'
const typesAtB: Record<string, EntryFacts['type']> = { tree: 'DIRECTORY', commit: 'SUBMODULE' }

const entryOf = ({ name, type, mode }: Static<typeof Entry>): EntryFacts => ({
  name,
  type: mode === modeOfLink ? 'SYMLINK' : (typesAtB[type] ?? 'FILE'),
})

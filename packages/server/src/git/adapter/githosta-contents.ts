import Type, { type Static } from 'typebox'
import type { Ask } from './ask.ts'
import { GitAccessLost } from './errors.ts'
import type { PageOfA } from './githosta-pages.ts'
import {
  type CommitFacts,
  type EntryFacts,
  maxCommitPages,
  maxEntries,
  maxFileBytes,
  maxRefPages,
  type RepositoryContents,
} from './host.ts'
import { firstPages, ofPage, pageSize } from './pages.ts'
import { dateIn } from './refs.ts'

interface Parts {
  /** URL of the repository in the API. */
  at: string
  ours: Ask
  pageOf: PageOfA
}

/** Reads the contents of a GitHub repository. */
export function createContentsAtA({ at, ours, pageOf }: Parts): RepositoryContents {
  return {
    async refs(type) {
      const list = type === 'BRANCH' ? '/branches' : '/tags'
      const { items, isComplete } = await firstPages((page) => pageOf(Ref, list, page), maxRefPages)
      return { items: items.map(({ name, commit }) => ({ name, commit: commit.sha })), isComplete }
    },

    // GitHub lists the oldest commit first.
    async commitsBetween(from, to) {
      const list = `${at}/compare/${encodeURIComponent(from)}...${encodeURIComponent(to)}`
      const pageAt = async (page: number) => (await ours(Comparison, { url: ofPage(list, page) })).body
      const first = await pageAt(1)
      const lastPage = Math.max(Math.ceil(first.total_commits / pageSize), 1)
      const firstPage = Math.max(lastPage - maxCommitPages + 1, 1)
      const wanted = Array.from({ length: lastPage - firstPage + 1 }, (_, offset) => firstPage + offset)
      const pages = await Promise.all(wanted.map((page) => (page === 1 ? first : pageAt(page))))
      const items = pages.flatMap(({ commits }) => commits.map(factsOf)).toReversed()
      return { items, isComplete: firstPage === 1 }
    },

    async mergedPullRequests(commit) {
      const { body } = await ours(Type.Array(PullRequest), { url: `${at}/commits/${commit}/pulls` })
      const merged = body.filter(({ merged_at }) => merged_at !== null)
      return merged.map(({ number, title, html_url: url, user }) => ({ number, title, url, authorName: user?.login }))
    },

    async contents(path, ref) {
      const query = ref === undefined ? '' : `?${new URLSearchParams({ ref })}`
      const place = path.split('/').map(encodeURIComponent).join('/')
      const { body } = await ours(Content, { url: `${at}/contents/${place}${query}` })
      if (Array.isArray(body)) {
        return { type: 'DIRECTORY', items: body.map(entryOf), isComplete: body.length < maxEntries }
      }
      if (body.target !== undefined) {
        const content = Buffer.from(body.target)
        return { type: 'FILE', bytes: content.length, content }
      }
      if (body.type !== 'file') throw new GitAccessLost(`At ${path} is another repository.`, { isMissing: true })
      const isShown = body.size <= maxFileBytes && body.encoding === 'base64'
      const content = isShown ? Buffer.from(body.content ?? '', 'base64') : undefined
      return { type: 'FILE', bytes: body.size, content }
    },
  }
}

const Ref = Type.Object({ name: Type.String(), commit: Type.Object({ sha: Type.String() }) })

const Person = Type.Union([
  Type.Object({ name: Type.Optional(Type.String()), date: Type.Optional(Type.String()) }),
  Type.Null(),
])
const Commit = Type.Object({
  sha: Type.String(),
  html_url: Type.String(),
  commit: Type.Object({ message: Type.String(), author: Person, committer: Person }),
})
const Comparison = Type.Object({ total_commits: Type.Integer(), commits: Type.Array(Commit) })

const PullRequest = Type.Object({
  number: Type.Integer(),
  title: Type.String(),
  html_url: Type.String(),
  merged_at: Type.Union([Type.String(), Type.Null()]),
  user: Type.Union([Type.Object({ login: Type.String() }), Type.Null()]),
})

const Entry = Type.Object({ name: Type.String(), type: Type.String() })
const Content = Type.Union([
  Type.Array(Entry),
  Type.Object({
    type: Type.String(),
    size: Type.Integer(),
    encoding: Type.Optional(Type.String()),
    content: Type.Optional(Type.String()),
    /** Target path of a symbolic link. */
    target: Type.Optional(Type.String()),
  }),
])

const factsOf = ({ sha, html_url: url, commit }: Static<typeof Commit>): CommitFacts => ({
  id: sha,
  message: commit.message,
  authorName: commit.author?.name,
  committedAt: dateIn(commit.committer?.date),
  url,
})

/**
 * Entry types; all others are files, including submodules in directory listings ("Get repository content", read
 * 2026-11).
 */
const typesAtA: Record<string, EntryFacts['type']> = { dir: 'DIRECTORY', symlink: 'SYMLINK', submodule: 'SUBMODULE' }

const entryOf = ({ name, type }: Static<typeof Entry>): EntryFacts => ({ name, type: typesAtA[type] ?? 'FILE' })

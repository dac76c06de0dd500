import { type Static, Type } from 'typebox'
import { ListMeta } from '../values/list.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const IsComplete = Type.Boolean({
  description: 'Whether the list is complete. Very long lists are truncated.',
})

const OfAllMeta = Type.Object(
  { ...ListMeta.properties, isComplete: IsComplete },
  { ...closed, description: 'Pagination metadata.' },
)

/** Git reference name, without Git's syntax for ranges and ancestors. */
export const GitRef = Type.String({
  minLength: 1,
  maxLength: 250,
  pattern: '^(?:\\.?[^.\\u0000-\\u0020\\u007f~^:?*\\[\\\\])+$',
  description: 'Branch, tag or commit SHA.',
  examples: ['v1.4.0'],
})

const control = '\\u0000-\\u001f\\u007f'
/** Path segment other than `.`, `..` and the empty string, so that a path cannot leave the repository. */
const segment = `(?:[^/.${control}][^/${control}]*|\\.[^/.${control}][^/${control}]*|\\.\\.[^/${control}]+)`
export const RepositoryPath = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: `^${segment}(?:/${segment})*$`,
  description: 'Path from the root of the repository, without leading or trailing slash.',
  examples: ['infra/main.tf'],
})

export const Repository = Type.Object(
  {
    gitRepositoryId: Type.String({ description: 'Repository ID at the git host.' }),
    repoName: Type.String({ description: 'Owner and name of the repository.' }),
    repoUrl: Type.String({ description: 'URL of the repository, with which a code source is connected.' }),
    defaultBranch: Type.Optional(Type.String({ description: 'Default branch of the repository.' })),
  },
  { ...closed, description: 'Repository visible to an installation or a connection.' },
)
export type Repository = Static<typeof Repository>

export const Repositories = Type.Object(
  { data: Type.Array(Repository, { description: 'Repositories by name.' }), meta: OfAllMeta },
  { ...closed, description: 'Page of repositories as returned by the git host, at most half a minute old.' },
)

export const gitRefTypes = ['BRANCH', 'TAG'] as const

export const RepositoryRef = Type.Object(
  {
    name: Type.String({ description: 'Name of the branch or tag.' }),
    commit: Type.String({ description: 'SHA of the commit.' }),
  },
  { ...closed, description: 'Branch or tag of a repository.' },
)
export type RepositoryRef = Static<typeof RepositoryRef>

export const RepositoryRefs = Type.Object(
  {
    data: Type.Array(RepositoryRef, {
      description: 'Branches by name; tags by version number, highest first.',
    }),
    meta: OfAllMeta,
  },
  { ...closed, description: 'Page of branches or tags as returned by the git host, at most half a minute old.' },
)

export const RepositoryCommit = Type.Object(
  {
    id: Type.String({ description: 'SHA of the commit.' }),
    message: Type.String({ description: 'Commit message, possibly truncated.' }),
    authorName: Type.Optional(Type.String({ description: 'Author of the commit.' })),
    committedAt: Type.Optional({ ...UtcDateTime, description: 'Time of the commit.' }),
    url: Type.String({ description: 'URL of the commit.' }),
  },
  { ...closed, description: 'Commit of a repository.' },
)
export type RepositoryCommit = Static<typeof RepositoryCommit>

export const RepositoryCommits = Type.Object(
  {
    data: Type.Array(RepositoryCommit, { description: 'Commits, newest first.' }),
    meta: Type.Object({ isComplete: IsComplete }, { ...closed, description: 'Metadata of the list.' }),
  },
  { ...closed, description: 'Commits that are reachable from one ref but not from the other.' },
)

const Path = Type.String({ description: 'Path from the root of the repository. Empty for the root itself.' })

const RepositoryFile = Type.Object(
  {
    type: Type.Literal('FILE'),
    path: Path,
    bytes: Type.Integer({ description: 'Size in bytes.' }),
    encoding: Type.Enum(['UTF8', 'BASE64'], {
      description: 'Encoding of the content: UTF8 if possible, otherwise BASE64.',
    }),
    content: Type.String({ description: 'Content of the file, or the target of a symbolic link.' }),
  },
  { ...closed, description: 'File of a repository.' },
)

const RepositoryDirectory = Type.Object(
  {
    type: Type.Literal('DIRECTORY'),
    path: Path,
    entries: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name within the directory.' }),
          path: Path,
          type: Type.Enum(['FILE', 'DIRECTORY', 'SYMLINK', 'SUBMODULE'], { description: 'Type of the entry.' }),
        },
        { ...closed, description: 'Entry of a directory.' },
      ),
      { description: 'Entries by name.' },
    ),
    isComplete: IsComplete,
  },
  { ...closed, description: 'Directory of a repository.' },
)

export const RepositoryContent = Type.Union([RepositoryFile, RepositoryDirectory], {
  description: 'File or directory at a path of a repository.',
})
export type RepositoryContent = Static<typeof RepositoryContent>

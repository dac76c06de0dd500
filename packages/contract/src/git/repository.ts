import { type Static, Type } from 'typebox'
import { ListMeta } from '../values/list.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const IsWhole = Type.Boolean({
  description: 'Whether this is all that the git host has; of very much the rest is left out.',
})

const OfAllMeta = Type.Object(
  { ...ListMeta.properties, isWhole: IsWhole },
  { ...closed, description: 'Where this page lies in the whole list.' },
)

/** What git takes as a name, without its ranges and steps from one commit to others. */
export const GitRef = Type.String({
  minLength: 1,
  maxLength: 250,
  pattern: '^(?:\\.?[^.\\u0000-\\u0020\\u007f~^:?*\\[\\\\])+$',
  description: 'A branch, a tag or the id of a commit.',
  examples: ['v1.4.0'],
})

const control = '\\u0000-\\u001f\\u007f'
/** Neither `.` nor `..`, nor empty: a path leads nowhere else. */
const part = `(?:[^/.${control}][^/${control}]*|\\.[^/.${control}][^/${control}]*|\\.\\.[^/${control}]+)`
export const RepositoryPath = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: `^${part}(?:/${part})*$`,
  description: 'From the root of the repository, without a slash at either end.',
  examples: ['infra/main.tf'],
})

export const Repository = Type.Object(
  {
    gitRepositoryId: Type.String({ description: "The git host's own id of the repository." }),
    repoName: Type.String({ description: 'Owner and name of the repository.' }),
    repoUrl: Type.String({ description: 'Where people see it; a code source is connected by it.' }),
    defaultBranch: Type.Optional(Type.String({ description: "The repository's default branch." })),
  },
  { ...closed, description: 'A repository that the git host shows to an installation or a connection.' },
)
export type Repository = Static<typeof Repository>

export const Repositories = Type.Object(
  { data: Type.Array(Repository, { description: 'By name.' }), meta: OfAllMeta },
  { ...closed, description: 'One page of repositories, as the git host showed them half a minute ago at most.' },
)

export const gitRefTypes = ['BRANCH', 'TAG'] as const

export const RepositoryRef = Type.Object(
  {
    name: Type.String({ description: 'Name of the branch or the tag.' }),
    commit: Type.String({ description: 'The commit that it stands for.' }),
  },
  { ...closed, description: 'A branch or a tag of a repository.' },
)
export type RepositoryRef = Static<typeof RepositoryRef>

export const RepositoryRefs = Type.Object(
  {
    data: Type.Array(RepositoryRef, {
      description: 'Branches by name; tags from the highest number in their name down.',
    }),
    meta: OfAllMeta,
  },
  { ...closed, description: 'One page of branches or tags, as the git host showed them half a minute ago at most.' },
)

export const RepositoryCommit = Type.Object(
  {
    id: Type.String({ description: 'The id of the commit.' }),
    message: Type.String({ description: 'What its author says of it, as far as it is short.' }),
    authorName: Type.Optional(Type.String({ description: 'Who wrote it.' })),
    committedAt: Type.Optional({ ...UtcDateTime, description: 'When it was made.' }),
    url: Type.String({ description: 'Where people see it.' }),
  },
  { ...closed, description: 'A commit of a repository.' },
)
export type RepositoryCommit = Static<typeof RepositoryCommit>

export const RepositoryCommits = Type.Object(
  {
    data: Type.Array(RepositoryCommit, { description: 'The newest first.' }),
    meta: Type.Object({ isWhole: IsWhole }, { ...closed, description: 'How much of it this is.' }),
  },
  { ...closed, description: 'The commits that are in one ref and not in the other.' },
)

const Path = Type.String({ description: 'From the root of the repository, which is empty itself.' })

const RepositoryFile = Type.Object(
  {
    type: Type.Literal('FILE'),
    path: Path,
    bytes: Type.Integer({ description: 'How large it is.' }),
    encoding: Type.Enum(['UTF8', 'BASE64'], {
      description: 'How the content is written: as text, wherever it is one.',
    }),
    content: Type.String({ description: 'What is in it; of a symbolic link, where it leads.' }),
  },
  { ...closed, description: 'A file of a repository.' },
)

const RepositoryDirectory = Type.Object(
  {
    type: Type.Literal('DIRECTORY'),
    path: Path,
    entries: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Within the directory.' }),
          path: Path,
          type: Type.Enum(['FILE', 'DIRECTORY', 'SYMLINK', 'SUBMODULE'], { description: 'What it is.' }),
        },
        { ...closed, description: 'Something in a directory.' },
      ),
      { description: 'By name.' },
    ),
    isWhole: IsWhole,
  },
  { ...closed, description: 'A directory of a repository.' },
)

export const RepositoryContent = Type.Union([RepositoryFile, RepositoryDirectory], {
  description: 'What is at a path of a repository.',
})
export type RepositoryContent = Static<typeof RepositoryContent>

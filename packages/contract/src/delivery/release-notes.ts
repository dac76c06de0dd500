import { type Static, Type } from 'typebox'
import { RepositoryCommit } from '../git/repository.ts'
import { Id } from '../values/ids.ts'

const closed = { additionalProperties: false } as const

const ReleasedRequest = Type.Object(
  {
    number: Type.Integer({ description: 'What its repository calls it by.' }),
    title: Type.String({ description: 'What it is called.' }),
    authorName: Type.Optional(Type.String({ description: 'Who opened it.' })),
    url: Type.String({ description: 'Where people see it.' }),
  },
  { ...closed, description: 'A pull request that was merged.' },
)

export const ReleaseNotes = Type.Object(
  {
    repository: Type.Optional(Type.String({ description: 'The address of the repository.' })),
    commit: Type.Optional(Type.String({ description: 'The commit that is released.' })),
    author: Type.Optional(Type.String({ description: 'Who wrote that.' })),
    before: Type.Optional(
      Type.Object(
        {
          deploymentId: Id,
          commit: Type.Optional(Type.String({ description: 'Its commit, where that is known.' })),
        },
        { ...closed, description: 'The release that ran before; absent from the first.' },
      ),
    ),
    commits: Type.Array(RepositoryCommit, { description: 'What came since, the newest first.' }),
    pullRequests: Type.Array(ReleasedRequest, {
      description: 'Those that brought these commits in, the newest first.',
    }),
    isWhole: Type.Boolean({ description: 'Whether there are no more commits and pull requests than these.' }),
    reason: Type.Optional(Type.String({ description: 'Why it is not known what came since.' })),
  },
  { ...closed, description: 'What a release brings beyond the one that ran before it, as its git host tells.' },
)
export type ReleaseNotes = Static<typeof ReleaseNotes>

/** What can be asked for beside a deployment; its git host is asked for it. */
export const notesIncluded = { notes: ReleaseNotes } as const

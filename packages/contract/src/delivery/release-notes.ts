import { type Static, Type } from 'typebox'
import { RepositoryCommit } from '../git/repository.ts'
import { Id } from '../values/ids.ts'

const closed = { additionalProperties: false } as const

const ReleasedRequest = Type.Object(
  {
    number: Type.Integer({ description: 'Number of the pull request in its repository.' }),
    title: Type.String({ description: 'Title of the pull request.' }),
    authorName: Type.Optional(Type.String({ description: 'User who opened the pull request.' })),
    url: Type.String({ description: 'URL of the pull request.' }),
  },
  { ...closed, description: 'Merged pull request.' },
)

export const ReleaseNotes = Type.Object(
  {
    repository: Type.Optional(Type.String({ description: 'URL of the repository.' })),
    commit: Type.Optional(Type.String({ description: 'Commit SHA of the release.' })),
    author: Type.Optional(Type.String({ description: 'Author of the commit.' })),
    before: Type.Optional(
      Type.Object(
        {
          deploymentId: Id,
          commit: Type.Optional(Type.String({ description: 'Commit SHA of the previous release, if it is known.' })),
        },
        { ...closed, description: 'Release that ran before. Absent for the first release.' },
      ),
    ),
    commits: Type.Array(RepositoryCommit, { description: 'Commits since the previous release, newest first.' }),
    pullRequests: Type.Array(ReleasedRequest, {
      description: 'Pull requests that introduced these commits, newest first.',
    }),
    isComplete: Type.Boolean({ description: 'Whether the lists of commits and pull requests are complete.' }),
    reason: Type.Optional(
      Type.String({ description: 'Reason why the changes since the previous release are unknown.' }),
    ),
  },
  { ...closed, description: 'Changes between a release and the previous one, as reported by the git host.' },
)
export type ReleaseNotes = Static<typeof ReleaseNotes>

/** Data that `include` can add to a deployment. Sluice queries the git host for it. */
export const notesIncluded = { notes: ReleaseNotes } as const

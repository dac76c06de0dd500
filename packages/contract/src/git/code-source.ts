import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** The two git hosts; the second can also be hosted by the organization itself. */
export const codeSourceTypes = ['GITHOSTA', 'GITHOSTB', 'GITHOSTB_SELF_HOSTED'] as const
export const CodeSourceType = Type.Enum(codeSourceTypes, { description: 'Which git host has the repository.' })
export type CodeSourceType = Static<typeof CodeSourceType>

/** `UNKNOWN` where the git host has not said it. */
export const repositoryVisibilities = ['PUBLIC', 'INTERNAL', 'PRIVATE', 'UNKNOWN'] as const

const InstallationId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The installation of our app at the first git host that has the repository.',
})
const ConnectionId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The connection to the second git host that sees the repository.',
})

export const CodeSourceAuth = Type.Union(
  [
    Type.Object({ kind: Type.Literal('installation'), githostaInstallationId: InstallationId }, closed),
    Type.Object({ kind: Type.Literal('connection'), githostbConnectionId: ConnectionId }, closed),
    Type.Object({ kind: Type.Literal('none') }, closed),
  ],
  { description: 'How the repository is read; `none` for one that everybody may read.' },
)
export type CodeSourceAuth = Static<typeof CodeSourceAuth>

export const CodeSource = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    type: CodeSourceType,
    repoUrl: Type.String({ description: 'Address of the repository, in the one form that addresses are compared in.' }),
    repoName: Type.String({ description: 'Owner and name of the repository.' }),
    gitRepositoryId: Type.Optional(Type.String({ description: "The git host's own id of the repository." })),
    defaultBranch: Type.Optional(Type.String({ description: "The repository's default branch." })),
    visibility: Type.Enum(repositoryVisibilities, { description: 'Who may read the repository.' }),
    accessLost: Type.Boolean({ description: 'Whether the repository could not be read any more.' }),
    auth: CodeSourceAuth,
  },
  { ...closed, description: 'A connected repository of a git host.' },
)
export type CodeSource = Static<typeof CodeSource>

export const CreateCodeSource = Type.Object(
  {
    type: CodeSourceType,
    repoUrl: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Address of the repository: https, ssh or the short form user@host:path.',
    }),
    githostaInstallationId: Type.Optional(InstallationId),
    githostbConnectionId: Type.Optional(ConnectionId),
    auth: Type.Optional(
      Type.Object(
        { kind: Type.Literal('none') },
        { ...closed, description: 'Says that the repository is read as everybody may read it.' },
      ),
    ),
  },
  {
    ...closed,
    description:
      'A repository to connect. GITHOSTA needs `githostaInstallationId`, or `auth` that says `none`; the others take `githostbConnectionId`, or nothing for a public repository.',
  },
)
export type CreateCodeSource = Static<typeof CreateCodeSource>

export const Branch = Type.Object(
  { name: Type.String({ description: 'Name of the branch.' }) },
  { ...closed, description: 'A branch of a repository.' },
)
export type Branch = Static<typeof Branch>

import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Types of git hosts. A `GITHOSTB_SELF_HOSTED` instance is run by the organization. */
export const codeSourceTypes = ['GITHOSTA', 'GITHOSTB', 'GITHOSTB_SELF_HOSTED'] as const
export const CodeSourceType = Type.Enum(codeSourceTypes, { description: 'Git host of the repository.' })
export type CodeSourceType = Static<typeof CodeSourceType>

/** `UNKNOWN` if the git host did not report it. */
export const repositoryVisibilities = ['PUBLIC', 'INTERNAL', 'PRIVATE', 'UNKNOWN'] as const

const InstallationId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "ID of the installation of Sluice's app at the first git host.",
})
const ConnectionId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'ID of the connection to the second git host.',
})

export const CodeSourceAuth = Type.Union(
  [
    Type.Object({ kind: Type.Literal('installation'), githostaInstallationId: InstallationId }, closed),
    Type.Object({ kind: Type.Literal('connection'), githostbConnectionId: ConnectionId }, closed),
    Type.Object({ kind: Type.Literal('none') }, closed),
  ],
  { description: 'Credentials with which the repository is read; `none` for a public repository.' },
)
export type CodeSourceAuth = Static<typeof CodeSourceAuth>

export const CodeSource = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    type: CodeSourceType,
    repoUrl: Type.String({ description: 'Normalized URL of the repository, used for comparisons.' }),
    repoName: Type.String({ description: 'Owner and name of the repository.' }),
    gitRepositoryId: Type.Optional(Type.String({ description: 'Repository ID at the git host.' })),
    defaultBranch: Type.Optional(Type.String({ description: 'Default branch of the repository.' })),
    visibility: Type.Enum(repositoryVisibilities, { description: 'Visibility of the repository.' }),
    accessLost: Type.Boolean({ description: 'Whether Sluice has lost access to the repository.' }),
    auth: CodeSourceAuth,
  },
  { ...closed, description: 'Connected repository of a git host.' },
)
export type CodeSource = Static<typeof CodeSource>

export const CreateCodeSource = Type.Object(
  {
    type: CodeSourceType,
    repoUrl: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'URL of the repository: HTTPS, SSH or the short form user@host:path.',
    }),
    githostaInstallationId: Type.Optional(InstallationId),
    githostbConnectionId: Type.Optional(ConnectionId),
    auth: Type.Optional(
      Type.Object(
        { kind: Type.Literal('none') },
        { ...closed, description: 'Reads a public repository without credentials.' },
      ),
    ),
  },
  {
    ...closed,
    description:
      'Repository to connect. GITHOSTA requires `githostaInstallationId`, or `auth` of the kind `none`. Other types take `githostbConnectionId`, or no credentials for a public repository.',
  },
)
export type CreateCodeSource = Static<typeof CreateCodeSource>

export const Branch = Type.Object(
  { name: Type.String({ description: 'Name of the branch.' }) },
  { ...closed, description: 'Branch of a repository.' },
)
export type Branch = Static<typeof Branch>

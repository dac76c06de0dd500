import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const SourceObject = Type.Object(
  {
    bucket: Type.String({ description: 'The bucket.' }),
    key: Type.String({ description: 'The key of the archive in it; of a site, the directory.' }),
    sha256: Type.Optional(Type.String({ description: "The cloud's hash of the code, once it was published." })),
  },
  { ...closed, description: 'Objects that are released.' },
)

export const DeploymentSource = Type.Object(
  {
    repository: Type.Optional(Type.String({ description: 'The address of the repository.' })),
    branch: Type.Optional(Type.String({ description: 'The branch that was pushed to or is checked out.' })),
    commit: Type.Optional(Type.String({ description: 'The commit.' })),
    committedAt: Type.Optional(UtcDateTime),
    author: Type.Optional(Type.String({ description: 'Who wrote the commit.' })),
    message: Type.Optional(Type.String({ description: 'What its author says of it; the first 500 characters.' })),
    url: Type.Optional(Type.String({ description: 'Where the commit is shown by its git host.' })),
    image: Type.Optional(Type.String({ description: 'The address of the image.' })),
    imageDigest: Type.Optional(
      Type.String({ description: 'The digest of the image: by its address, else as its tasks ran it.' }),
    ),
    object: Type.Optional(SourceObject),
  },
  { ...closed, description: 'What a release was made of, as far as it is known.' },
)
export type DeploymentSource = Static<typeof DeploymentSource>

/** What can be asked for beside a deployment. */
export const sourceIncluded = {
  source: {
    ...DeploymentSource,
    description: 'What it was made of, as far as it is known: commit, branch, author, message, image, object.',
  },
} as const

import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const SourceObject = Type.Object(
  {
    bucket: Type.String({ description: 'Name of the bucket.' }),
    key: Type.String({ description: 'Key of the archive, or the directory of a static site.' }),
    sha256: Type.Optional(
      Type.String({ description: 'SHA-256 hash of the code as computed by the cloud. Present after publishing.' }),
    ),
  },
  { ...closed, description: 'Objects in a bucket that are released.' },
)

export const DeploymentSource = Type.Object(
  {
    repository: Type.Optional(Type.String({ description: 'URL of the repository.' })),
    branch: Type.Optional(Type.String({ description: 'Branch that was pushed to or is checked out.' })),
    commit: Type.Optional(Type.String({ description: 'Commit SHA.' })),
    committedAt: Type.Optional(UtcDateTime),
    author: Type.Optional(Type.String({ description: 'Author of the commit.' })),
    message: Type.Optional(Type.String({ description: 'Commit message, truncated to 500 characters.' })),
    url: Type.Optional(Type.String({ description: 'URL of the commit on its git host.' })),
    image: Type.Optional(Type.String({ description: 'Address of the image.' })),
    imageDigest: Type.Optional(
      Type.String({ description: 'Digest of the image, from its address or from the tasks that ran it.' }),
    ),
    object: Type.Optional(SourceObject),
  },
  { ...closed, description: 'Known source of a release.' },
)
export type DeploymentSource = Static<typeof DeploymentSource>

/** Data that `include` can add to a deployment. */
export const sourceIncluded = {
  source: {
    ...DeploymentSource,
    description: 'Known source of the release: commit, branch, author, message, image or object.',
  },
} as const

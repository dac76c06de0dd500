import { type Static, Type } from 'typebox'
import { Id } from './ids.ts'
import { UtcDateTime } from './time.ts'

const closed = { additionalProperties: false } as const

export const artifactKinds = ['static', 'lambda', 'image'] as const
export const ArtifactKind = Type.Enum(artifactKinds, {
  description:
    'What it is of, by the type of the build block: files of a site, the archive of a function, or an image.',
})
export type ArtifactKind = Static<typeof ArtifactKind>

export const Artifact = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    environmentId: Id,
    moduleInstanceId: Id,
    pipelineRunId: Id,
    stepExecutionId: Id,
    kind: ArtifactKind,
    location: Type.String({ description: 'Where it is.', examples: ['s3://shop-site/releases/0c4f5e1d'] }),
    deployInputs: Type.Record(Type.String(), Type.String(), {
      description: 'The inputs of a deployment that release it.',
      examples: [{ directory: 'releases/0c4f5e1d' }],
    }),
    commit: Type.Optional(Type.String({ description: 'The commit that it was built from.' })),
    contentKey: Type.String({
      description: 'The same for the same files, builder, inputs, variables and place: what has it is not built twice.',
    }),
    digest: Type.String({ description: 'The same for the same content.', examples: ['sha256:0c4f5e1d'] }),
    sizeBytes: Type.Integer({ minimum: 0, description: 'How large it is.' }),
    fileCount: Type.Integer({
      minimum: 1,
      description: 'How many files it has; an archive is one, and so is an image.',
    }),
    buildSeconds: Type.Integer({ minimum: 0, description: 'How long the build took, which the next of it saves.' }),
  },
  { ...closed, description: 'What a build made of a commit, published where deployments find it.' },
)
export type Artifact = Static<typeof Artifact>

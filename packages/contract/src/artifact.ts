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

/** What an artifact is needed for, the strongest first. */
export const artifactUses = ['RUNS', 'UNDER_WAY', 'ROLLBACK', 'LATEST', 'YOUNG'] as const
export const ArtifactUse = Type.Enum(artifactUses, {
  description:
    'RUNS: the last release of an instance names it, as what runs or as what it took the place of. UNDER_WAY: a release, a run or a promotion that is not over needs it. ROLLBACK: one of the last releases of an instance names it. LATEST: it is among the last builds of its instance. YOUNG: it is not old enough.',
})
export type ArtifactUse = Static<typeof ArtifactUse>

/** How many days, and how many releases and builds of each instance, are kept where nobody says otherwise. */
export const usualArtifactRetention = { keepDays: 90, keepLatest: 10 } as const

export const ArtifactVerdict = Type.Object(
  {
    artifact: Artifact,
    isNeeded: Type.Boolean({ description: 'Whether anything that Sluice knows of needs it still.' }),
    neededFor: Type.Optional(ArtifactUse),
    deploymentId: Type.Optional({ ...Id, description: 'A release that needs it, where the caller may see it.' }),
    message: Type.String({ description: 'The same for people.', examples: ['Nothing needs it any more.'] }),
  },
  { ...closed, description: 'Whether an artifact is needed still, and for what.' },
)
export type ArtifactVerdict = Static<typeof ArtifactVerdict>

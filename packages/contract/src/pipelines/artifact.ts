import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const artifactKinds = ['static', 'lambda', 'image'] as const
export const ArtifactKind = Type.Enum(artifactKinds, {
  description:
    'Kind of the artifact, determined by the type of the build block: site files, a function archive or an image.',
})
export type ArtifactKind = Static<typeof ArtifactKind>

export const ArtifactRemoval = Type.Object(
  {
    reason: Type.String({ description: 'Reason for the removal.', examples: ['Nothing needed it any more.'] }),
    beganAt: Type.Optional({
      ...UtcDateTime,
      description: 'Time since when the artifact cannot be released. Absent while it can.',
    }),
    removedAt: Type.Optional({ ...UtcDateTime, description: 'Time when the removal was complete.' }),
    error: Type.Optional(Type.String({ description: 'Error of the last attempt to remove the artifact.' })),
    nextRetryAt: Type.Optional({ ...UtcDateTime, description: 'Time of the next attempt to remove the artifact.' }),
  },
  {
    ...closed,
    description: "Removal of an artifact by retention, completed or planned. The artifact's record remains.",
  },
)
export type ArtifactRemoval = Static<typeof ArtifactRemoval>

export const ArtifactDeployment = Type.Object(
  {
    moduleInstanceId: Id,
    environmentId: Id,
    deploymentId: Id,
    since: Type.Optional({ ...UtcDateTime, description: 'Time when the release succeeded.' }),
  },
  { ...closed, description: 'Module instance whose last successful release uses the artifact.' },
)

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
    location: Type.String({ description: 'Location of the artifact.', examples: ['s3://shop-site/releases/0c4f5e1d'] }),
    deployInputs: Type.Record(Type.String(), Type.String(), {
      description: 'Deployment inputs that release the artifact.',
      examples: [{ directory: 'releases/0c4f5e1d' }],
    }),
    commit: Type.Optional(Type.String({ description: 'SHA of the commit that the artifact was built from.' })),
    contentKey: Type.String({
      description:
        "Key of the build's files, builder, inputs, variables and destination. An artifact with the same key is reused instead of built again.",
    }),
    digest: Type.String({ description: 'Digest of the content.', examples: ['sha256:0c4f5e1d'] }),
    sizeBytes: Type.Integer({ minimum: 0, description: 'Size in bytes.' }),
    fileCount: Type.Integer({
      minimum: 1,
      description: 'Number of files. An archive or an image counts as one.',
    }),
    buildSeconds: Type.Integer({
      minimum: 0,
      description: 'Duration of the build in seconds. Reusing the artifact saves this time.',
    }),
    runningOn: Type.Array(ArtifactDeployment, {
      description:
        'Module instances that run the artifact and that the caller can see: its own instance and those with the same `givenId`.',
    }),
    removal: Type.Optional(ArtifactRemoval),
  },
  { ...closed, description: 'Published result of a build, ready to be deployed.' },
)
export type Artifact = Static<typeof Artifact>

/** Reasons to retain an artifact, strongest first. */
export const artifactUses = ['RUNNING', 'IN_PROGRESS', 'ROLLBACK', 'LATEST', 'RECENT', 'EXTERNAL_REGISTRY'] as const
export const ArtifactUse = Type.Enum(artifactUses, {
  description:
    "RUNNING: part of an instance's latest release, its predecessor, or a later failed one. IN_PROGRESS: used by a release, run or promotion in progress. ROLLBACK: part of one of the instance's last releases. LATEST: one of the instance's latest builds. RECENT: younger than the minimum age. EXTERNAL_REGISTRY: stored in a registry outside of the connected accounts, where Sluice removes nothing.",
})
export type ArtifactUse = Static<typeof ArtifactUse>

/** Default minimum age in days, and default number of releases and builds retained per module instance. */
export const defaultArtifactRetention = { keepDays: 90, keepLatest: 10 } as const

const keepDays = Type.Integer({
  minimum: 1,
  maximum: 3_650,
  description: 'Minimum age in days since the artifact was last built or reused before it can be removed.',
})
const keepLatest = Type.Integer({
  minimum: 1,
  maximum: 30, // The limit is low because Sluice reads each of these releases.
  description: 'Number of most recent releases and builds that are always retained per module instance.',
})
/** Fields that determine which artifacts are always retained. */
export const artifactRetentionFields = { keepDays, keepLatest } as const

export const ArtifactRetention = Type.Object(
  {
    isEnabled: Type.Boolean({ description: 'Whether unused artifacts are removed.' }),
    ...artifactRetentionFields,
    nextAt: Type.Optional({ ...UtcDateTime, description: 'Time of the next cleanup.' }),
    failedRemovalCount: Type.Integer({
      minimum: 0,
      description:
        'Number of artifacts that the last cleanup could not remove. `removal` of each artifact contains the error.',
    }),
  },
  { ...closed, description: 'Retention settings for unused artifacts.' },
)
export type ArtifactRetention = Static<typeof ArtifactRetention>

export const SetArtifactRetention = Type.Object(
  {
    isEnabled: Type.Boolean({ description: 'Whether to remove unused artifacts from now on.' }),
    keepDays: Type.Optional(keepDays),
    keepLatest: Type.Optional(keepLatest),
  },
  { ...closed, description: 'Retention settings to change. Absent fields stay unchanged.' },
)
export type SetArtifactRetention = Static<typeof SetArtifactRetention>

/** Minutes between a change of the retention settings and the first removal, so that a mistake can be corrected. */
export const retentionGraceMinutes = 60

export const ArtifactVerdict = Type.Object(
  {
    artifact: Artifact,
    isNeeded: Type.Boolean({ description: 'Whether the artifact is still in use.' }),
    neededFor: Type.Optional(ArtifactUse),
    deploymentId: Type.Optional({
      ...Id,
      description: 'ID of a deployment that uses the artifact, if the caller can see it.',
    }),
    message: Type.String({ description: 'Human-readable explanation.', examples: ['It is unused.'] }),
  },
  { ...closed, description: 'Whether an artifact is still in use, and why.' },
)
export type ArtifactVerdict = Static<typeof ArtifactVerdict>

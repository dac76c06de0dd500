import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const artifactKinds = ['static', 'lambda', 'image'] as const
export const ArtifactKind = Type.Enum(artifactKinds, {
  description:
    'What it is of, by the type of the build block: files of a site, the archive of a function, or an image.',
})
export type ArtifactKind = Static<typeof ArtifactKind>

export const ArtifactRemoval = Type.Object(
  {
    reason: Type.String({ description: 'Why it is removed.', examples: ['Nothing needed it any more.'] }),
    beganAt: Type.Optional({ ...UtcDateTime, description: 'Since when it cannot be released; absent: it can.' }),
    removedAt: Type.Optional({ ...UtcDateTime, description: 'When all of it was gone.' }),
    error: Type.Optional(Type.String({ description: 'Why it could not be removed the last time.' })),
    triesAgainAt: Type.Optional({ ...UtcDateTime, description: 'When that is tried again.' }),
  },
  { ...closed, description: 'That retention removes an artifact, or would: its record stays.' },
)
export type ArtifactRemoval = Static<typeof ArtifactRemoval>

export const ArtifactPlace = Type.Object(
  {
    moduleInstanceId: Id,
    environmentId: Id,
    deploymentId: Id,
    since: Type.Optional({ ...UtcDateTime, description: 'When the release succeeded.' }),
  },
  { ...closed, description: 'Where an artifact runs: the last successful release there names it.' },
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
    runsAt: Type.Array(ArtifactPlace, {
      description: 'Where it runs, of what the caller sees: its instance, and those of the same givenId.',
    }),
    removal: Type.Optional(ArtifactRemoval),
  },
  { ...closed, description: 'What a build made of a commit, published where deployments find it.' },
)
export type Artifact = Static<typeof Artifact>

/** What an artifact is needed for, the strongest first. */
export const artifactUses = ['RUNS', 'UNDER_WAY', 'ROLLBACK', 'LATEST', 'YOUNG', 'ELSEWHERE'] as const
export const ArtifactUse = Type.Enum(artifactUses, {
  description:
    'RUNS: the last release of an instance names it, as what runs or as what it took the place of, or one that failed after it. UNDER_WAY: a release, a run or a promotion that is not over needs it. ROLLBACK: one of the last releases of an instance names it. LATEST: it is among the last builds of its instance. YOUNG: it is not old enough. ELSEWHERE: it is in a registry that is no account’s, where Sluice removes nothing.',
})
export type ArtifactUse = Static<typeof ArtifactUse>

/** How many days, and how many releases and builds of each instance, are kept where nobody says otherwise. */
export const usualArtifactRetention = { keepDays: 90, keepLatest: 10 } as const

const keepDays = Type.Integer({
  minimum: 1,
  maximum: 3_650,
  description: 'How many days ago an artifact was built, or taken by a build, at least that may go.',
})
const keepLatest = Type.Integer({
  minimum: 1,
  maximum: 30, // each of them is read through
  description: 'How many of the last releases and of the last builds of each instance stay in any case.',
})
/** What of artifacts stays in any case. */
export const artifactRetentionFields = { keepDays, keepLatest } as const

export const ArtifactRetention = Type.Object(
  {
    isEnabled: Type.Boolean({ description: 'Whether artifacts are removed that nothing needs any more.' }),
    ...artifactRetentionFields,
    nextAt: Type.Optional({ ...UtcDateTime, description: 'When they are looked through next.' }),
    refusedCount: Type.Integer({
      minimum: 0,
      description: 'How many could not be removed the last time; `removal` of each says why.',
    }),
  },
  { ...closed, description: 'What becomes of artifacts that nothing needs any more.' },
)
export type ArtifactRetention = Static<typeof ArtifactRetention>

export const SetArtifactRetention = Type.Object(
  {
    isEnabled: Type.Boolean({ description: 'Whether artifacts are removed from now on.' }),
    keepDays: Type.Optional(keepDays),
    keepLatest: Type.Optional(keepLatest),
  },
  { ...closed, description: 'What is to become of artifacts. What is absent stays as it is.' },
)
export type SetArtifactRetention = Static<typeof SetArtifactRetention>

/** How long after retention was set the first artifact may go, so that a mistake can be taken back. Minutes. */
export const retentionGraceMinutes = 60

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

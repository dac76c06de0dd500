import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { AcceptedPauseControl, progressFields } from './deployment-progress.ts'

const closed = { additionalProperties: false } as const

/** Function versions to which an alias routes invocations. */
export const FunctionAliasState = Type.Object(
  {
    observedAt: UtcDateTime,
    version: Type.String({
      description: 'Version that receives all invocations except the share of the additional version.',
    }),
    additionalVersion: Type.Optional(Type.String({ description: 'Version that receives a share of the invocations.' })),
    additionalWeight: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Share of the additional version. For example, 0.1 is 10 % of the invocations.',
      }),
    ),
    revisionId: Type.String({
      description: 'Revision ID of the alias in the cloud. It changes with every update of the alias.',
    }),
  },
  { ...closed, description: 'State of the alias when it was last read or updated.' },
)
export type FunctionAliasState = Static<typeof FunctionAliasState>

/** Deleted function version of an older release. */
export const RemovedVersion = Type.Object(
  { version: Type.String({ description: 'Number of the version.' }), removedAt: UtcDateTime },
  { ...closed, description: 'Deleted function version of an older release.' },
)
export type RemovedVersion = Static<typeof RemovedVersion>

/** Data of a function deployment. */
export const LambdaDeploymentData = Type.Object(
  {
    type: Type.Literal('cloud:lambda'),
    functionArn: Type.String({ description: 'ARN of the function.' }),
    aliasName: Type.String({ description: 'Name of the alias that is moved to the new version.' }),
    acceptedPauseControl: Type.Optional(AcceptedPauseControl),
    aliasState: Type.Optional(FunctionAliasState),
    codeSha256: Type.Optional(
      Type.String({
        description: 'SHA-256 hash of the code as computed by the cloud. For an image, the digest of its manifest.',
      }),
    ),
    imageUri: Type.Optional(Type.String({ description: 'Address of the image as requested.' })),
    previousVersion: Type.Optional(
      Type.String({ description: 'Version to which the alias routed invocations before.' }),
    ),
    removedVersions: Type.Optional(
      Type.Array(RemovedVersion, { description: 'Versions of older releases that were deleted after this release.' }),
    ),
    resolvedImageUri: Type.Optional(
      Type.String({ description: 'Address of the image with the digest to which its tag resolved.' }),
    ),
    s3Bucket: Type.Optional(Type.String({ description: 'Bucket of the archive.' })),
    s3Key: Type.Optional(Type.String({ description: 'Key of the archive in the bucket.' })),
    version: Type.Optional(Type.String({ description: 'Published version.' })),
    ...progressFields,
  },
  { ...closed, description: 'Data of a function deployment.' },
)
export type LambdaDeploymentData = Static<typeof LambdaDeploymentData>

import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { AcceptedPauseControl, progressFields } from './deployment-progress.ts'

const closed = { additionalProperties: false } as const

/** Which versions of a function the alias sends its calls to. */
export const FunctionAliasState = Type.Object(
  {
    observedAt: UtcDateTime,
    version: Type.String({ description: 'The version that gets all calls, but for the share of the additional one.' }),
    additionalVersion: Type.Optional(Type.String({ description: 'The version that gets a share of the calls.' })),
    additionalWeight: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Its share: 0.1 is a tenth of the calls.' }),
    ),
    revisionId: Type.String({ description: "The cloud's mark of this state; every change of the alias gets another." }),
  },
  { ...closed, description: 'The alias as it was when it was last looked at or moved.' },
)
export type FunctionAliasState = Static<typeof FunctionAliasState>

/** A version of an older release that was deleted. */
export const RemovedVersion = Type.Object(
  { version: Type.String({ description: 'The version.' }), removedAt: UtcDateTime },
  { ...closed, description: 'A version of an older release that was deleted.' },
)
export type RemovedVersion = Static<typeof RemovedVersion>

/** What a function deployment knows of itself. */
export const LambdaDeploymentData = Type.Object(
  {
    type: Type.Literal('cloud:lambda'),
    functionArn: Type.String({ description: 'The function.' }),
    aliasName: Type.String({ description: 'The alias that is moved to the new version.' }),
    acceptedPauseControl: Type.Optional(AcceptedPauseControl),
    aliasState: Type.Optional(FunctionAliasState),
    codeSha256: Type.Optional(
      Type.String({ description: "The cloud's hash of the code; of an image, the digest of its manifest." }),
    ),
    imageUri: Type.Optional(Type.String({ description: 'Of an image: its address as it was given.' })),
    previousVersion: Type.Optional(
      Type.String({ description: 'The version that the alias sent its calls to before.' }),
    ),
    removedVersions: Type.Optional(
      Type.Array(RemovedVersion, { description: 'Versions of older releases that were deleted after this one.' }),
    ),
    resolvedImageUri: Type.Optional(
      Type.String({ description: 'Of an image: its address with the digest that the tag stood for.' }),
    ),
    s3Bucket: Type.Optional(Type.String({ description: 'Of an archive: the bucket it is in.' })),
    s3Key: Type.Optional(Type.String({ description: 'Of an archive: its key in the bucket.' })),
    version: Type.Optional(Type.String({ description: 'The published version.' })),
    ...progressFields,
  },
  { ...closed, description: 'State of a function deployment.' },
)
export type LambdaDeploymentData = Static<typeof LambdaDeploymentData>

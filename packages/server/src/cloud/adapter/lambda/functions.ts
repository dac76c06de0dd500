import {
  type AliasConfiguration,
  DeleteFunctionCommand,
  type FunctionConfiguration,
  GetAliasCommand,
  GetFunctionCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
  PublishVersionCommand,
  UpdateAliasCommand,
  UpdateFunctionCodeCommand,
} from '@aws-sdk/client-lambda'
import { present } from '../../../platform/present.ts'
import {
  type AliasState,
  addressOf,
  type CodeSource,
  type FunctionPlace,
  type Routing,
  type VersionFacts,
} from '../../facts/lambda.ts'
import { CloudPermanentError, CloudTransientError, callCloud } from '../cloud-call.ts'

export async function readAlias(lambda: LambdaClient, { functionArn, aliasName }: FunctionPlace): Promise<AliasState> {
  const command = new GetAliasCommand({ FunctionName: functionArn, Name: aliasName })
  return aliasOf(await callCloud(() => lambda.send(command)))
}

/**
 * Points the alias to the versions, if its revision is still `revisionId`; otherwise returns undefined. Sends empty
 * weights explicitly, because omitted ones stay unchanged.
 */
export async function moveAlias(
  lambda: LambdaClient,
  { functionArn, aliasName }: FunctionPlace,
  { version, additionalVersion, additionalWeight }: Routing,
  revisionId: string,
): Promise<AliasState | undefined> {
  const weights = additionalVersion === undefined ? {} : { [additionalVersion]: additionalWeight ?? 0 }
  const command = new UpdateAliasCommand({
    FunctionName: functionArn,
    Name: aliasName,
    FunctionVersion: version,
    RoutingConfig: { AdditionalVersionWeights: weights },
    RevisionId: revisionId,
  })
  try {
    return aliasOf(await callCloud(() => lambda.send(command), 'UpdateAlias'))
  } catch (error) {
    if (isStale(error)) return undefined
    throw error
  }
}

/** Reports whether the cloud rejected the request because the revision id is no longer current. */
const isStale = (error: unknown): boolean =>
  error instanceof CloudPermanentError && error.reason === 'PreconditionFailedException'

/** Converts an alias to the state that Sluice stores. */
export function aliasOf({
  FunctionVersion: version,
  RevisionId: revisionId,
  RoutingConfig,
}: AliasConfiguration): AliasState {
  if (version === undefined || revisionId === undefined)
    throw new CloudTransientError('The cloud answered without the alias.')
  const [additional] = Object.entries(RoutingConfig?.AdditionalVersionWeights ?? {})
  if (!additional) return { version, revisionId }
  const [additionalVersion, additionalWeight] = additional
  return { version, revisionId, additionalVersion, additionalWeight }
}

/** Reads a published version with its image, or `$LATEST` if no version is given. */
export async function readVersion(
  lambda: LambdaClient,
  { functionArn }: FunctionPlace,
  version?: string,
): Promise<VersionFacts> {
  if (version === undefined) {
    const command = new GetFunctionConfigurationCommand({ FunctionName: functionArn })
    return factsOf(await callCloud(() => lambda.send(command)))
  }
  const command = new GetFunctionCommand({ FunctionName: functionArn, Qualifier: version })
  const { Configuration = {}, Code } = await callCloud(() => lambda.send(command))
  return { ...factsOf(Configuration), ...present({ resolvedImageUri: Code?.ResolvedImageUri }) }
}

/** Reads a published version, or returns undefined if it no longer exists. */
export async function findVersion(
  lambda: LambdaClient,
  place: FunctionPlace,
  version: string,
): Promise<VersionFacts | undefined> {
  try {
    return await readVersion(lambda, place, version)
  } catch (error) {
    if (error instanceof CloudPermanentError && error.reason === 'ResourceNotFoundException') return undefined
    throw error
  }
}

function factsOf(configuration: FunctionConfiguration): VersionFacts {
  const { Version: version, CodeSha256: codeSha256, RevisionId: revisionId } = configuration
  if (version === undefined || codeSha256 === undefined || revisionId === undefined) {
    throw new CloudTransientError('The cloud answered without the function.')
  }
  const { State, StateReason, LastUpdateStatus, LastUpdateStatusReason, LastUpdateStatusReasonCode } = configuration
  return present({
    version,
    codeSha256,
    revisionId,
    state: State ?? 'Active',
    stateReason: StateReason,
    update: LastUpdateStatus ?? 'Successful',
    updateReason: LastUpdateStatusReason && `${LastUpdateStatusReason} (${LastUpdateStatusReasonCode})`,
  })
}

type Update = Pick<FunctionPlace, 'functionArn'> & { code: CodeSource }

/** Updates the function's code to the release's, if its revision is still `revisionId`; otherwise returns undefined. */
export async function updateCode(
  lambda: LambdaClient,
  update: Update,
  revisionId: string,
): Promise<VersionFacts | undefined> {
  const command = new UpdateFunctionCodeCommand({ ...updateOf(update), RevisionId: revisionId })
  try {
    return factsOf(await updateFunctionCode(lambda, command))
  } catch (error) {
    if (isStale(error)) return undefined
    throw error
  }
}

/**
 * Returns the hash that the function would have with the release's code. A dry run changes nothing and returns that
 * hash ("UpdateFunctionCode" in the API reference of 2017; later editions omit the sentence; read 2026-11).
 */
export async function hashOfCode(lambda: LambdaClient, update: Update): Promise<string> {
  const command = new UpdateFunctionCodeCommand({ ...updateOf(update), DryRun: true })
  return factsOf(await updateFunctionCode(lambda, command)).codeSha256
}

/**
 * Timeout for code updates, in milliseconds: Lambda fetches up to 250 MB before it responds, other calls take less than
 * a second.
 */
const codeTimeoutMs = 45_000

const updateFunctionCode = (lambda: LambdaClient, command: UpdateFunctionCodeCommand) =>
  callCloud(() => lambda.send(command, { requestTimeout: codeTimeoutMs }), 'UpdateFunctionCode')

const updateOf = ({ functionArn, code }: Update) => ({
  FunctionName: functionArn,
  ...('imageUri' in code ? { ImageUri: byDigestAlone(code.imageUri) } : { S3Bucket: code.s3Bucket, S3Key: code.s3Key }),
})

/** Returns the address of code as Lambda receives it: of an image, or `s3://BUCKET/KEY`. */
export const sentAddressOf = (code: CodeSource): string =>
  'imageUri' in code ? byDigestAlone(code.imageUri) : addressOf(code)

/**
 * Drops the tag of an image that also has a digest, because Lambda accepts one of them ("Create a Lambda function using
 * a container image", read 2026-11).
 */
function byDigestAlone(image: string): string {
  const [tagged = '', digest] = image.split('@')
  return digest === undefined ? image : `${tagged.replace(/:[^:/]*$/, '')}@${digest}`
}

/** Deletes a published version. Returns false if an alias refers to it, in which case Lambda rejects the deletion. */
export async function deleteVersion(
  lambda: LambdaClient,
  { functionArn }: FunctionPlace,
  version: string,
): Promise<boolean> {
  // Without a version, the same request deletes the function.
  if (!/^[1-9]\d*$/.test(version)) throw new Error(`${version} is not a version of ${functionArn}`)
  const command = new DeleteFunctionCommand({ FunctionName: functionArn, Qualifier: version })
  try {
    await callCloud(() => lambda.send(command))
  } catch (error) {
    if (!(error instanceof CloudPermanentError)) throw error
    if (error.reason === 'ResourceConflictException') return false
    if (error.reason !== 'ResourceNotFoundException') throw error
  }
  return true
}

/** Publishes `$LATEST` as a version, if its code has the hash `codeSha256`. */
export async function publishVersion(
  lambda: LambdaClient,
  { functionArn }: FunctionPlace,
  codeSha256: string,
  deploymentId: string,
): Promise<VersionFacts> {
  const command = new PublishVersionCommand({
    FunctionName: functionArn,
    CodeSha256: codeSha256,
    Description: `Sluice ${deploymentId}`,
  })
  return factsOf(await callCloud(() => lambda.send(command), 'PublishVersion'))
}

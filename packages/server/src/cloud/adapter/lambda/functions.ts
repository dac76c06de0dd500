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
import type { AliasState, CodeSource, FunctionPlace, Routing, VersionFacts } from '../../facts/lambda.ts'
import { ask, CloudRefusal, CloudTrouble } from '../answer.ts'

export async function readAlias(lambda: LambdaClient, { functionArn, aliasName }: FunctionPlace): Promise<AliasState> {
  const command = new GetAliasCommand({ FunctionName: functionArn, Name: aliasName })
  return aliasOf(await ask(() => lambda.send(command)))
}

/**
 * Moves the alias, if its revision is still `revisionId`; undefined when it is not. No weights are said in so many
 * words, for what is not said stays as it is.
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
    return aliasOf(await ask(() => lambda.send(command), 'UpdateAlias'))
  } catch (error) {
    if (isStale(error)) return undefined
    throw error
  }
}

/** The cloud's word for a revision that is not the present one any more. */
const isStale = (error: unknown): boolean =>
  error instanceof CloudRefusal && error.reason === 'PreconditionFailedException'

/** An alias as it is kept. */
export function aliasOf({
  FunctionVersion: version,
  RevisionId: revisionId,
  RoutingConfig,
}: AliasConfiguration): AliasState {
  if (version === undefined || revisionId === undefined) throw new CloudTrouble('The cloud answered without the alias.')
  const [additional] = Object.entries(RoutingConfig?.AdditionalVersionWeights ?? {})
  if (!additional) return { version, revisionId }
  const [additionalVersion, additionalWeight] = additional
  return { version, revisionId, additionalVersion, additionalWeight }
}

/** The version that is worked on; or a published one, with the image that it runs. */
export async function readVersion(
  lambda: LambdaClient,
  { functionArn }: FunctionPlace,
  version?: string,
): Promise<VersionFacts> {
  if (version === undefined) {
    const command = new GetFunctionConfigurationCommand({ FunctionName: functionArn })
    return factsOf(await ask(() => lambda.send(command)))
  }
  const command = new GetFunctionCommand({ FunctionName: functionArn, Qualifier: version })
  const { Configuration = {}, Code } = await ask(() => lambda.send(command))
  return { ...factsOf(Configuration), ...present({ resolvedImageUri: Code?.ResolvedImageUri }) }
}

/** A published version, if it is still there. */
export async function findVersion(
  lambda: LambdaClient,
  place: FunctionPlace,
  version: string,
): Promise<VersionFacts | undefined> {
  try {
    return await readVersion(lambda, place, version)
  } catch (error) {
    if (error instanceof CloudRefusal && error.reason === 'ResourceNotFoundException') return undefined
    throw error
  }
}

function factsOf(configuration: FunctionConfiguration): VersionFacts {
  const { Version: version, CodeSha256: codeSha256, RevisionId: revisionId } = configuration
  if (version === undefined || codeSha256 === undefined || revisionId === undefined) {
    throw new CloudTrouble('The cloud answered without the function.')
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

/** Gives the function the release's code, if its revision is still `revisionId`; undefined when it is not. */
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
 * The hash that the function's code would have if it took the release's code now. A dry run changes nothing and answers
 * with the hash of what it was given ("UpdateFunctionCode" in the API reference of 2017, which introduced `DryRun`;
 * later ones leave the sentence out; read 2026-11).
 */
export async function hashOfCode(lambda: LambdaClient, update: Update): Promise<string> {
  const command = new UpdateFunctionCodeCommand({ ...updateOf(update), DryRun: true })
  return factsOf(await updateFunctionCode(lambda, command)).codeSha256
}

/**
 * The cloud fetches the code before it answers, up to 250 MB of it; other calls answer within a second. Milliseconds.
 */
const codeTimeoutMs = 45_000

const updateFunctionCode = (lambda: LambdaClient, command: UpdateFunctionCodeCommand) =>
  ask(() => lambda.send(command, { requestTimeout: codeTimeoutMs }), 'UpdateFunctionCode')

const updateOf = ({ functionArn, code }: Update) => ({
  FunctionName: functionArn,
  ...('imageUri' in code ? { ImageUri: byDigestAlone(code.imageUri) } : { S3Bucket: code.s3Bucket, S3Key: code.s3Key }),
})

/**
 * The cloud names an image by its tag or by its digest ("Create a Lambda function using a container image", read
 * 2026-11); one that has both is that of its digest.
 */
function byDigestAlone(image: string): string {
  const [tagged = '', digest] = image.split('@')
  return digest === undefined ? image : `${tagged.replace(/:[^:/]*$/, '')}@${digest}`
}

/** Deletes a published version; false if an alias refers to it, which the cloud then keeps. */
export async function deleteVersion(
  lambda: LambdaClient,
  { functionArn }: FunctionPlace,
  version: string,
): Promise<boolean> {
  // Without a version, the same request deletes the function.
  if (!/^[1-9]\d*$/.test(version)) throw new Error(`${version} is no version of ${functionArn}`)
  const command = new DeleteFunctionCommand({ FunctionName: functionArn, Qualifier: version })
  try {
    await ask(() => lambda.send(command))
  } catch (error) {
    if (!(error instanceof CloudRefusal)) throw error
    if (error.reason === 'ResourceConflictException') return false
    if (error.reason !== 'ResourceNotFoundException') throw error
  }
  return true
}

/** Publishes what the function is now, if its code is the one of `codeSha256`. */
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
  return factsOf(await ask(() => lambda.send(command), 'PublishVersion'))
}

import { createHash } from 'node:crypto'
import {
  type AliasConfiguration,
  type FunctionConfiguration,
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda'
import { present } from '../../../platform/present.ts'
import type { CodeSource, FunctionPlace } from '../../facts/lambda.ts'
import type { CloudShape, LambdaTwin, ReleasedCode } from '../../facts/twin.ts'
import type { CloudClients } from '../access.ts'
import { CloudPermanentError, callCloud } from '../cloud-call.ts'
import { hashOfCode, sentAddressOf } from '../lambda/functions.ts'
import { listVersions } from '../lambda/running.ts'
import { readProvisionedConcurrency } from '../lambda/sharing.ts'
import { plain, type ReadOr, readOrAssume } from './reading.ts'

/** Release of a function to simulate. */
export type FunctionTwinRequest = FunctionPlace & {
  region: string
  code?: CodeSource | undefined
  /** Published version that the release uses if it still exists. */
  version?: { version: string; codeSha256: string } | undefined
}

/**
 * Copies a function, its alias and the versions that a release of it touches, for the simulation. Changes nothing: the
 * code is read with a dry run of its update.
 */
export async function readLambdaTwin(
  { lambda }: Pick<CloudClients, 'lambda'>,
  release: FunctionTwinRequest,
  now: Date,
): Promise<LambdaTwin> {
  const { functionArn: FunctionName, aliasName: Name, region, code } = release
  const assumptions: string[] = []
  const readOr = readOrAssume(assumptions)
  const [own, alias] = await Promise.all([
    callCloud(() => lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))),
    callCloud(() => lambda.send(new GetAliasCommand({ FunctionName, Name }))),
  ])
  // Until then, the function rejects the dry run.
  const isBusy = own.LastUpdateStatus === 'InProgress' || own.State === 'Pending'
  if (isBusy) {
    assumptions.push('A change of the function was in progress. The rehearsal begins as if it were over.')
  }
  const { version } = release
  const published = version && (await findVersion(lambda, FunctionName, version.version))
  // A function that was created again can have other code under the number of the version.
  const publishesCode = published === undefined || published.CodeSha256 !== version?.codeSha256
  const [versions, provisionedConcurrency, read] = await Promise.all([
    readVersions(lambda, release, alias, readOr),
    readOr('The provisioned concurrency of the alias', undefined, () => readProvisionedConcurrency(lambda, release)),
    publishesCode && code
      ? readCode(lambda, { functionArn: FunctionName, code, isBusy, expectedSha256: version?.codeSha256 })
      : undefined,
  ])
  return {
    region,
    accountNumber: FunctionName.split(':')[4] ?? '',
    readAt: now.toISOString(),
    function: copied(own),
    versions: [...(published ? [published] : []), ...versions].map(copied),
    alias: plain(alias),
    ...present({ provisionedConcurrency, code: read }),
    assumptions,
  }
}

/** Reads the versions of the alias, and the newest one, after which the next one is numbered. */
async function readVersions(
  lambda: LambdaClient,
  { functionArn }: FunctionTwinRequest,
  { FunctionVersion = '', RoutingConfig }: AliasConfiguration,
  readOr: ReadOr,
): Promise<FunctionConfiguration[]> {
  const routed = [FunctionVersion, ...Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {})].filter(isPublished)
  const [own, { versions }] = await Promise.all([
    Promise.all(routed.map((version) => readVersion(lambda, functionArn, version))),
    readOr('The list of versions', { versions: [], isComplete: false }, () => listVersions(lambda, functionArn)),
  ])
  const newest = versions
    .filter(({ Version = '' }) => isPublished(Version) && !routed.includes(Version))
    .toSorted((a, b) => Number(b.Version) - Number(a.Version))
    .slice(0, 1)
  return [...own, ...newest]
}

const isPublished = (version: string): boolean => /^\d+$/.test(version)

/** Returns a version, or undefined if it was deleted. */
async function findVersion(lambda: LambdaClient, functionArn: string, version: string) {
  try {
    return await readVersion(lambda, functionArn, version)
  } catch (error) {
    if (error instanceof CloudPermanentError && error.reason === 'ResourceNotFoundException') return undefined
    throw error
  }
}

const readVersion = (lambda: LambdaClient, FunctionName: string, Qualifier: string) =>
  callCloud(() => lambda.send(new GetFunctionConfigurationCommand({ FunctionName, Qualifier })))

/** Copies a configuration with a hash in place of the environment variables, which may contain secrets. */
function copied({ Environment, SnapStart, ...settings }: FunctionConfiguration): CloudShape {
  const hash = createHash('sha256').update(JSON.stringify(Environment ?? {}))
  return plain({
    ...settings,
    Environment: { Variables: { SHA256: hash.digest('hex') } },
    SnapStart: SnapStart && { ApplyOn: SnapStart.ApplyOn },
  })
}

/**
 * Returns the hash of the code, or the error with which Lambda rejects it, as it rejects the release. A busy function
 * accepts no dry run: its code is assumed to be the expected one.
 */
async function readCode(
  lambda: LambdaClient,
  {
    isBusy,
    expectedSha256,
    ...update
  }: { functionArn: string; code: CodeSource; isBusy: boolean; expectedSha256: string | undefined },
): Promise<ReleasedCode> {
  const address = sentAddressOf(update.code)
  if (isBusy) return present({ address, sha256: expectedSha256 })
  try {
    return { address, sha256: await hashOfCode(lambda, update) }
  } catch (error) {
    if (!(error instanceof CloudPermanentError)) throw error
    return { address, rejection: { name: error.reason, message: error.message } }
  }
}

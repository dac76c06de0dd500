import {
  type AliasConfiguration,
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  GetProvisionedConcurrencyConfigCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda'
import { present } from '../../../platform/present.ts'
import type { CodeSource, FunctionPlace } from '../../facts/lambda.ts'
import type { LambdaTwin, ReleasedCode } from '../../facts/twin.ts'
import type { CloudClients } from '../access.ts'
import { CloudPermanentError, callCloud } from '../cloud-call.ts'
import { hashOfCode, sentAddressOf } from '../lambda/functions.ts'
import { listVersions } from '../lambda/running.ts'
import { plain, type ReadOr, readOrAssume } from './reading.ts'

/** Release of a function to simulate. */
export type FunctionTwinRequest = FunctionPlace & {
  region: string
  code?: CodeSource | undefined
  /** Published version that a redeployment uses. */
  version?: { version: string } | undefined
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
  const [versions, provisionedConcurrency, released] = await Promise.all([
    readVersionsOf(lambda, release, alias, readOr),
    readOr('The provisioned concurrency of the alias', undefined, () => readProvisioned(lambda, release)),
    code && readCode(lambda, { functionArn: FunctionName, code }, readOr),
  ])
  if (own.LastUpdateStatus === 'InProgress' || own.State === 'Pending') {
    assumptions.push('A change of the function was in progress. The rehearsal begins as if it were over.')
  }
  return {
    region,
    accountNumber: FunctionName.split(':')[4] ?? '',
    readAt: now.toISOString(),
    function: plain(own),
    versions,
    alias: plain(alias),
    ...present({ provisionedConcurrency, code: released }),
    assumptions,
  }
}

/** Reads the versions of the alias and of the release, and the newest, after which the next one is numbered. */
async function readVersionsOf(
  lambda: LambdaClient,
  { functionArn, version }: FunctionTwinRequest,
  { FunctionVersion, RoutingConfig }: AliasConfiguration,
  readOr: ReadOr,
) {
  const routed = [FunctionVersion ?? '', ...Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {})]
  const known = await readOr('The list of versions', undefined, () => listVersions(lambda, functionArn))
  if (known === undefined)
    return Promise.all(routed.filter(isPublished).map((one) => readOne(lambda, functionArn, one)))
  const published = known.versions.filter(({ Version = '' }) => isPublished(Version))
  const newest = published.toSorted((a, b) => Number(b.Version) - Number(a.Version))[0]?.Version
  const wanted = new Set([...routed, version?.version, newest])
  return published.filter(({ Version }) => wanted.has(Version)).map(plain)
}

const isPublished = (version: string): boolean => /^\d+$/.test(version)

async function readOne(lambda: LambdaClient, FunctionName: string, Qualifier: string) {
  return plain(await callCloud(() => lambda.send(new GetFunctionConfigurationCommand({ FunctionName, Qualifier }))))
}

async function readProvisioned(lambda: LambdaClient, { functionArn, aliasName }: FunctionPlace) {
  const command = new GetProvisionedConcurrencyConfigCommand({ FunctionName: functionArn, Qualifier: aliasName })
  try {
    return (await callCloud(() => lambda.send(command))).RequestedProvisionedConcurrentExecutions
  } catch (error) {
    if (!(error instanceof CloudPermanentError)) throw error
    if (error.reason === 'ProvisionedConcurrencyConfigNotFoundException') return undefined
    throw error
  }
}

/** Returns the hash of the code, or the message with which Lambda rejects it. */
function readCode(lambda: LambdaClient, update: { functionArn: string; code: CodeSource }, readOr: ReadOr) {
  const address = sentAddressOf(update.code)
  return readOr<ReleasedCode>('The code', { address }, async () => {
    try {
      return { address, sha256: await hashOfCode(lambda, update) }
    } catch (error) {
      if (!(error instanceof CloudPermanentError) || error.reason !== 'InvalidParameterValueException') throw error
      return { address, rejection: error.message }
    }
  })
}

import {
  type AliasConfiguration,
  type FunctionConfiguration,
  type LambdaClient,
  ListAliasesCommand,
  ListVersionsByFunctionCommand,
} from '@aws-sdk/client-lambda'
import { present } from '../../../platform/present.ts'
import { type FunctionPlace, percent } from '../../facts/lambda.ts'
import type { ObservedTasks, RunningUnit } from '../../facts/running.ts'
import { callCloud } from '../cloud-call.ts'

/** Maximum page size ("ListVersionsByFunction" in the API reference, read 2026-11). */
const pageSize = 50
/** Maximum number of pages to read. Lambda lists versions oldest first, so the newest are on the last page. */
const maxPages = 10
/** Maximum number of versions without an alias in the result. */
const maxUnusedVersions = 10

/**
 * Reads the versions that aliases point to, starting with the alias of the instance, and the newest of the other
 * versions.
 */
export async function readVersions(
  lambda: LambdaClient,
  { functionArn, aliasName }: FunctionPlace,
): Promise<ObservedTasks> {
  const [aliases, { versions, isComplete }] = await Promise.all([
    listAliases(lambda, functionArn),
    listVersions(lambda, functionArn),
  ])
  const ours = aliases.find(({ Name }) => Name === aliasName)
  const all = versions
    .filter(({ Version }) => Version !== undefined && Version !== '$LATEST')
    .map((version) => runningOf(version, aliases, ours))
    .toSorted(
      (one, other) => (other.trafficPercent ?? -1) - (one.trafficPercent ?? -1) || numberOf(other) - numberOf(one),
    )
  const called = all.filter(({ aliases: by = [] }) => by.length > 0)
  const uncalled = all.filter(({ aliases: by = [] }) => by.length === 0)
  return {
    all: [...called, ...uncalled.slice(0, maxUnusedVersions)],
    isComplete: isComplete && uncalled.length <= maxUnusedVersions,
  }
}

/** Lists `$LATEST` and the published versions of a function, oldest first, at most 500. */
export async function listVersions(lambda: LambdaClient, FunctionName: string) {
  const versions: FunctionConfiguration[] = []
  let Marker: string | undefined
  for (let page = 0; page < maxPages; page += 1) {
    const command = new ListVersionsByFunctionCommand({ FunctionName, MaxItems: pageSize, ...present({ Marker }) })
    const answer = await callCloud(() => lambda.send(command))
    versions.push(...(answer.Versions ?? []))
    Marker = answer.NextMarker
    if (Marker === undefined) return { versions, isComplete: true }
  }
  return { versions, isComplete: false }
}

/** Lists the first page of a function's aliases. */
export async function listAliases(lambda: LambdaClient, FunctionName: string): Promise<AliasConfiguration[]> {
  return (await callCloud(() => lambda.send(new ListAliasesCommand({ FunctionName })))).Aliases ?? []
}

function runningOf(
  { Version: version = '', State = 'Active', StateReason, LastModified, PackageType }: FunctionConfiguration,
  aliases: readonly AliasConfiguration[],
  ours: AliasConfiguration | undefined,
): RunningUnit {
  const by = aliases.filter((alias) => weightOf(alias, version) > 0).flatMap(({ Name }) => Name ?? [])
  const share = ours && weightOf(ours, version)
  return {
    id: version,
    kind: 'FUNCTION_VERSION',
    status: State,
    isStopped: false,
    hasLog: false,
    health: State === 'Failed' ? 'UNHEALTHY' : 'UNKNOWN',
    runs: PackageType === 'Image' ? 'image' : 'archive',
    aliases: by,
    ...present({
      since: LastModified === undefined ? undefined : new Date(LastModified),
      reason: StateReason,
      trafficPercent: share ? percent(share) : undefined,
    }),
  }
}

/** Returns the share of an alias's invocations that go to a version, from 0 to 1. */
function weightOf({ FunctionVersion, RoutingConfig }: AliasConfiguration, version: string): number {
  const weights = RoutingConfig?.AdditionalVersionWeights ?? {}
  const others = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
  return FunctionVersion === version ? 1 - others : (weights[version] ?? 0)
}

const numberOf = ({ id }: RunningUnit): number => Number(id)

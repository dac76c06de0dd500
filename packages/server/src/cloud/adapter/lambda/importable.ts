import {
  type AliasConfiguration,
  GetFunctionCommand,
  type LambdaClient,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda'
import { present } from '../../../platform/present.ts'
import type { ImportablePage } from '../../facts/importable.ts'
import type { ExistingFunction } from '../../facts/lambda.ts'
import { callCloud } from '../cloud-call.ts'
import { aliasOf, readVersion } from './functions.ts'
import { listAliases } from './running.ts'

/** Maximum page size ("ListFunctions" in the API reference, read 2026-11). */
const maxPageSize = 50

/** Lists one page of a region's functions. */
export async function listFunctions(
  lambda: LambdaClient,
  limit: number,
  Marker: string | undefined,
): Promise<ImportablePage> {
  const command = new ListFunctionsCommand({ MaxItems: Math.min(limit, maxPageSize), ...present({ Marker }) })
  const { Functions = [], NextMarker: next } = await callCloud(() => lambda.send(command))
  const found = Functions.flatMap(({ FunctionArn: arn, FunctionName: name = '', PackageType, Runtime }) =>
    arn === undefined ? [] : [{ arn, name, ...present({ runs: PackageType === 'Image' ? 'an image' : Runtime }) }],
  )
  return { found, next }
}

/** Reads a function, its aliases and the version of the chosen alias: the named one, or the only one. */
export async function readExistingFunction(
  lambda: LambdaClient,
  functionArn: string,
  aliasName: string | undefined,
): Promise<ExistingFunction> {
  const [{ Configuration = {}, Code }, aliases] = await Promise.all([
    callCloud(() => lambda.send(new GetFunctionCommand({ FunctionName: functionArn }))),
    listAliases(lambda, functionArn),
  ])
  const chosen = chosenOf(aliases, aliasName)
  const alias = chosen && aliasOf(chosen)
  return {
    functionArn,
    name: Configuration.FunctionName ?? functionArn,
    packageType: Configuration.PackageType === 'Image' ? 'image' : 'zip',
    aliasNames: aliases.flatMap(({ Name }) => Name ?? []),
    ...present({
      logGroup: Configuration.LoggingConfig?.LogGroup,
      imageUri: Code?.ImageUri,
      aliasName: chosen?.Name,
      alias,
      version: alias && (await readVersion(lambda, { functionArn, aliasName: '' }, alias.version)),
    }),
  }
}

const chosenOf = (aliases: readonly AliasConfiguration[], name: string | undefined): AliasConfiguration | undefined =>
  name === undefined ? (aliases.length === 1 ? aliases[0] : undefined) : aliases.find(({ Name }) => Name === name)

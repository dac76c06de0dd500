import type { AliasConfiguration, FunctionConfiguration } from '@aws-sdk/client-lambda'
import { scopeOfArn } from '../arns.ts'
import type { World } from '../world.ts'
import { settingsIn } from './describe.ts'
import { latest, newRevisionId } from './records.ts'
import { type Code, lambda } from './state.ts'

/** Lambda function as described by AWS, without its other aliases. */
export interface ImportedFunction {
  /** Configuration of `$LATEST`. */
  function: FunctionConfiguration
  /** Published versions. New ones are numbered after the newest. */
  versions: FunctionConfiguration[]
  alias: AliasConfiguration
  provisionedConcurrency?: number
}

/** Code that is known only by its address: an image, or `s3://BUCKET/KEY`. */
export interface ImportedCode {
  address: string
  sha256: string
  behaviour?: Code['behaviour']
  /** Error with which Lambda rejects the code. */
  rejection?: { name: string; message: string }
}

/** Creates the function with its versions and its alias under their names. */
export function importFunction(world: World, imported: ImportedFunction): void {
  const { function: own, versions, alias, provisionedConcurrency } = imported
  const { FunctionArn: key = '', FunctionName: name = '' } = own
  const newestVersion = Math.max(0, ...versions.map(({ Version }) => Number(Version)))
  const createdAt = world.clock.timestamp()
  lambda(world).functions.save({ key, scope: scopeOfArn(key), name, newestVersion, createdAt, tags: {} })
  for (const version of [{ ...own, Version: latest }, ...versions]) importVersion(world, key, version)
  lambda(world).aliases.save({
    key: `${key}:${alias.Name}`,
    functionArn: key,
    name: alias.Name ?? '',
    version: alias.FunctionVersion ?? latest,
    weights: alias.RoutingConfig?.AdditionalVersionWeights ?? {},
    description: alias.Description ?? '',
    revisionId: alias.RevisionId ?? newRevisionId(),
    provisioned: provisionedConcurrency,
  })
}

/** Makes code available under its address, or changes it. */
export function importCode(world: World, { address, sha256, behaviour = 'sound', rejection }: ImportedCode): void {
  const image = address.startsWith('s3://')
    ? {}
    : { imageUri: address, resolvedImageUri: `${address.replace(/(?::[^:/]*|@[^@]*)$/, '')}@sha256:${sha256}` }
  lambda(world).importedCode.save({ key: address, code: { sha256, size: 0, behaviour, ...image }, rejection })
}

function importVersion(world: World, functionArn: string, shape: FunctionConfiguration): void {
  const { Version: version = '', PackageType, Architectures = ['x86_64'], CodeSha256 = '', CodeSize = 0 } = shape
  const { Layers = [], ImageConfigResponse, RevisionId = newRevisionId(), ...others } = shape
  const layers = Layers.flatMap(({ Arn }) => Arn ?? [])
  const settings = settingsIn({
    ...others,
    ...(layers.length > 0 && { Layers: layers }),
    ...(ImageConfigResponse?.ImageConfig && { ImageConfig: ImageConfigResponse.ImageConfig }),
  })
  lambda(world).versions.save({
    key: `${functionArn}:${version}`,
    functionArn,
    version,
    packageType: PackageType === 'Image' ? 'Image' : 'Zip',
    architectures: Architectures,
    settings,
    code: { sha256: CodeSha256, size: CodeSize, behaviour: 'sound' },
    state: shape.State === 'Failed' ? 'Failed' : 'Active',
    lastUpdate: 'Successful',
    lastModified: world.clock.timestamp(),
    revisionId: RevisionId,
  })
}

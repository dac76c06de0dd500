import type { FunctionConfiguration } from '@aws-sdk/client-lambda'
import type { FunctionVersion, Settings } from './state.ts'

/** Returns the function settings in a request. */
export function settingsIn(input: object): Settings {
  const given = Object.entries(input).filter(
    ([name, value]) => settable.has(name) && value !== undefined && value !== null,
  )
  return Object.fromEntries(given) as Settings
}

const settable = new Set([
  'Description',
  'Role',
  'Runtime',
  'Handler',
  'Timeout',
  'MemorySize',
  'Environment',
  'VpcConfig',
  'DeadLetterConfig',
  'KMSKeyArn',
  'TracingConfig',
  'Layers',
  'FileSystemConfigs',
  'ImageConfig',
  'EphemeralStorage',
  'SnapStart',
  'LoggingConfig',
])

/** Serializes a version. `isQualified`: it was requested by number or is part of a list. */
export function describe(row: FunctionVersion, isQualified: boolean): FunctionConfiguration {
  const name = row.functionArn.slice(row.functionArn.lastIndexOf(':') + 1)
  const { VpcConfig, ImageConfig, Layers, SnapStart, LoggingConfig, ...settings } = row.settings
  return {
    Description: '',
    Timeout: 3,
    MemorySize: 128,
    TracingConfig: { Mode: 'PassThrough' },
    EphemeralStorage: { Size: 512 },
    ...settings,
    FunctionName: name,
    FunctionArn: isQualified ? row.key : row.functionArn,
    Version: row.version,
    PackageType: row.packageType,
    Architectures: row.architectures as FunctionConfiguration['Architectures'],
    CodeSha256: row.code.sha256,
    CodeSize: row.code.size,
    LastModified: new Date(row.lastModified).toISOString().replace('Z', '+0000'),
    RevisionId: row.revisionId,
    SnapStart: { ApplyOn: 'None', ...SnapStart, OptimizationStatus: 'Off' },
    LoggingConfig: { LogFormat: 'Text', LogGroup: `/aws/lambda/${name}`, ...LoggingConfig },
    ...(VpcConfig ? { VpcConfig: { ...VpcConfig, VpcId: VpcConfig.SubnetIds?.length ? 'vpc-0sim' : '' } } : {}),
    ...(ImageConfig ? { ImageConfigResponse: { ImageConfig } } : {}),
    ...(Layers ? { Layers: Layers.map((Arn) => ({ Arn, CodeSize: 1_000 })) } : {}),
    ...stateOf(row),
  }
}

function stateOf({ state, lastUpdate, packageType }: FunctionVersion): FunctionConfiguration {
  const shown: FunctionConfiguration = { State: state, LastUpdateStatus: lastUpdate }
  if (state === 'Pending')
    return { ...shown, StateReason: 'The function is being created.', StateReasonCode: 'Creating' }
  if (state === 'Failed') {
    const StateReason = 'The runtime could not be initialized.'
    return { ...shown, StateReason, StateReasonCode: 'FunctionError.RuntimeInitError' }
  }
  if (lastUpdate !== 'Failed') return shown
  const [LastUpdateStatusReason, LastUpdateStatusReasonCode] =
    packageType === 'Image'
      ? (['The image cannot be run: its layers are damaged.', 'InvalidImage'] as const)
      : (['The archive has no handler.', 'InvalidZipFileException'] as const)
  return { ...shown, LastUpdateStatusReason, LastUpdateStatusReasonCode }
}

import type { ArtifactKind } from '@sluice/contract'
import type { BuildOrder } from '@sluice/contract/runner-protocol'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { withoutNulls } from '../../modules/module-versions/config/absent.ts'
import { buildParts, buildTypes } from '../../modules/module-versions/config/blocks.ts'
import { faultsOf } from '../../platform/http/faults.ts'
import type { KeptVariable } from '../pipeline-versions/config/source.ts'

/** What a build block comes to for one build. */
export type Build = {
  kind: ArtifactKind
  /** The repository that the module names; undefined where the step must. */
  source: { repo: string; ref: string | undefined; basePath: string } | undefined
  commands: BuildOrder['commands']
  outputDirectory: string
  environment: Record<string, string>
  /** Variables that the cloud account keeps. */
  kept: Record<string, KeptVariable>
  destination: { bucket: string; region: string; directory: string | undefined }
  /** Whose the bucket is: named, or that of an execution environment. */
  account: { cloudAccountId: string } | { executionEnvironmentId: string } | undefined
  commandSeconds: number | undefined
}

export type ReadBuild =
  | { verdict: 'read'; build: Build }
  /** Whoever deploys names what is released. */
  | { verdict: 'disabled' }
  /** There is no such tool on runners: its name as the block has it. */
  | { verdict: 'tool-missing'; tool: string }
  | { verdict: 'wrong'; faults: string[] }

/** Only what has a meaning for files is read of the parts; their shapes were checked when the version was published. */
const Rendered = Type.Object({
  type: Type.Enum([...buildTypes]),
  source: Type.Optional(
    Type.Object({
      repo: Type.String({ minLength: 1 }),
      branch: Type.Optional(Type.String()),
      ref: Type.Optional(Type.String()),
      base_path: Type.Optional(Type.String()),
    }),
  ),
  builder: Type.Optional(
    Type.Object({
      type: Type.String(),
      install_cmd: Type.Optional(Type.String()),
      build_cmd: Type.Optional(Type.String()),
      output_directory: Type.Optional(Type.String()),
    }),
  ),
  destinations: Type.Optional(buildParts.destinations),
  environment_variables: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
      Type.Union([
        Type.String(),
        Type.Number(),
        Type.Boolean(),
        Type.Object({ fromParameterStore: Type.String({ minLength: 1 }) }),
        Type.Object({ fromSecretManager: Type.String({ minLength: 1 }) }),
      ]),
      { additionalProperties: false },
    ),
  ),
  infrastructure: Type.Optional(
    Type.Object({
      cloud_account_id: Type.Optional(Type.String()),
      execution_environment_id: Type.Optional(Type.String()),
    }),
  ),
  timeout: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
})
type Rendered = Static<typeof Rendered>

const reader = Compile(Rendered)

/** Reads a build block whose templates have their values. */
export function readBuild(block: unknown): ReadBuild {
  const rendered = withoutNulls(block)
  const faults = faultsOf(reader, rendered, 'build')
  if (faults.length > 0) return { verdict: 'wrong', faults }
  const { type, builder = { type: 'commands' }, ...parts } = rendered as Rendered
  if (type === 'disabled' || builder.type === 'disabled') return { verdict: 'disabled' }
  if (type === 'image')
    return { verdict: 'tool-missing', tool: builder.type === 'commands' ? 'dockerfile' : builder.type }
  if (builder.type !== 'commands') return { verdict: 'tool-missing', tool: builder.type }
  return readFileBuild(type, builder, parts)
}

type Builder = NonNullable<Rendered['builder']>

function readFileBuild(kind: ArtifactKind, builder: Builder, parts: Omit<Rendered, 'type' | 'builder'>): ReadBuild {
  const { source, destinations = [], environment_variables: variables = {}, infrastructure, timeout } = parts
  const outputDirectory = builder.output_directory || '.'
  const stores = (destinations as Destination[]).filter(({ type }) => type === 's3')
  const [store] = stores
  const faults = [
    ...(stores.length === 1 ? [] : [`build.destinations: expected one of the type s3, there are ${stores.length}`]),
    ...(store && !store.bucket ? ['build.destinations: expected a bucket'] : []),
    ...(store && !regionLooks.test(store.region ?? '')
      ? ['build.destinations: expected the region of the bucket']
      : []),
    ...(store?.directory && !isPlainPath(store.directory)
      ? ['build.destinations: expected a directory such as releases/web, without slashes at its ends']
      : []),
    ...(outputDirectory === '.' || isPlainPath(outputDirectory)
      ? []
      : ['build.builder.output_directory: expected a folder below the base path, such as dist']),
  ]
  if (!store || faults.length > 0) return { verdict: 'wrong', faults }
  const { bucket = '', region = '', directory } = store
  const build: Build = {
    kind,
    source: source && {
      repo: source.repo,
      ref: source.ref || source.branch || undefined,
      basePath: source.base_path || '.',
    },
    commands: commandsOf(builder),
    outputDirectory,
    ...variablesOf(variables),
    destination: { bucket, region, directory: directory || undefined },
    account: accountOf(infrastructure),
    commandSeconds: timeout === undefined ? undefined : Math.ceil(timeout),
  }
  return { verdict: 'read', build }
}

type Destination = { type: string; bucket?: string; region?: string; directory?: string }

/** It becomes part of a host name that is called with credentials. */
const regionLooks = /^[a-z]{2}(-[a-z]+)+-\d{1,2}$/

/** A path that leads down, and nowhere else. */
const isPlainPath = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') && !path.includes('\0')

const commandsOf = ({ install_cmd, build_cmd }: Builder): Build['commands'] =>
  [
    { name: 'install', script: install_cmd ?? '' },
    { name: 'build', script: build_cmd ?? '' },
  ].filter(({ script }) => script.trim() !== '')

function variablesOf(variables: NonNullable<Rendered['environment_variables']>): Pick<Build, 'environment' | 'kept'> {
  const [environment, kept]: [Build['environment'], Build['kept']] = [{}, {}]
  for (const [name, value] of Object.entries(variables)) {
    if (typeof value !== 'object') environment[name] = String(value)
    else if ('fromParameterStore' in value) kept[name] = { from_parameter_store: value.fromParameterStore }
    else kept[name] = { from_secrets_manager: value.fromSecretManager }
  }
  return { environment, kept }
}

function accountOf(infrastructure: Rendered['infrastructure']): Build['account'] {
  const { cloud_account_id: cloudAccountId, execution_environment_id: executionEnvironmentId } = infrastructure ?? {}
  if (cloudAccountId) return { cloudAccountId }
  return executionEnvironmentId ? { executionEnvironmentId } : undefined
}

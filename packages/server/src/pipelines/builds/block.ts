import type { FileBuildOrder, ImageBuildOrder, ZeroConfigBuilder } from '@sluice/contract/runner-protocol'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { withoutNulls } from '../../modules/module-versions/config/absent.ts'
import { buildParts, buildTypes } from '../../modules/module-versions/config/blocks.ts'
import { faultsOf } from '../../platform/http/faults.ts'
import { present } from '../../platform/present.ts'
import type { KeptVariable } from '../pipeline-versions/config/source.ts'
import type { FilesPlan, ImageDestination } from '../runner/order.ts'
import { type CacheRule, cacheRuleFaults } from './cache-control.ts'

/** Build block with the values of one build. */
export type Build = FileBuild | ImageBuild

export type FileBuild = AnyBuild & {
  kind: FilesPlan['kind']
  commands: FileBuildOrder['commands']
  outputDirectory: string
  destination: FilesPlan['destination']
}

export type ImageBuild = AnyBuild & {
  kind: 'image'
  image: Pick<ImageBuildOrder, 'dockerfile' | 'packer' | 'context' | 'target' | 'isInjected'>
  destination: ImageDestination
}

type AnyBuild = {
  /** Repository that the module names; undefined if the step must name it. */
  source: { repo: string; ref: string | undefined; basePath: string } | undefined
  environment: Record<string, string>
  /** Variables from the secret store of the cloud account. */
  kept: Record<string, KeptVariable>
  /** Account of the bucket or registry: named directly, or that of an execution environment. */
  account: { cloudAccountId: string } | { executionEnvironmentId: string } | undefined
  /** Instance size for a build that a build service of the cloud executes. */
  instanceSize: string | undefined
  commandSeconds: number | undefined
}

export type ReadBuild =
  | { verdict: 'read'; build: Build }
  /** The module has no build: the deployment's inputs name the artifact. */
  | { verdict: 'disabled' }
  /** The tool cannot build this type of artifact; `tool` is its name in the block. */
  | { verdict: 'tool-missing'; tool: string }
  | { verdict: 'wrong'; faults: string[] }

const packages = Type.Union([Type.String(), Type.Array(Type.String())])

/** Parts of a module version that builds need. Their schemas were validated when the version was published. */
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
      dockerfile: Type.Optional(Type.String()),
      context: Type.Optional(Type.String()),
      target: Type.Optional(Type.String()),
      inject_env_variables_in_dockerfile: Type.Optional(Type.Boolean()),
      railpack_version: Type.Optional(Type.String()),
      nixpacks_version: Type.Optional(Type.String()),
      config_file_path: Type.Optional(Type.String()),
      build_path: Type.Optional(Type.String()),
      start_cmd: Type.Optional(Type.String()),
      nix_pkgs: Type.Optional(packages),
      apt_pkgs: Type.Optional(packages),
      nix_libs: Type.Optional(packages),
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
      instance_size: Type.Optional(Type.String()),
    }),
  ),
  timeout: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
})
type Rendered = Static<typeof Rendered>

const reader = Compile(Rendered)

/** Parses a build block after its templates are rendered. */
export function readBuild(block: unknown): ReadBuild {
  const rendered = withoutNulls(block)
  const faults = faultsOf(reader, rendered, 'build')
  if (faults.length > 0) return { verdict: 'wrong', faults }
  const { type, builder: named, ...parts } = rendered as Rendered
  const builder = named ?? { type: type === 'image' ? 'dockerfile' : 'commands' }
  if (type === 'disabled' || builder.type === 'disabled') return { verdict: 'disabled' }
  if (type === 'image') {
    if (['dockerfile', 'nixpacks', 'railpack'].includes(builder.type)) return readImageBuild(builder, parts)
    return { verdict: 'tool-missing', tool: builder.type }
  }
  if (builder.type !== 'commands') return { verdict: 'tool-missing', tool: builder.type }
  return readFileBuild(type, builder, parts)
}

type Builder = NonNullable<Rendered['builder']>

type Parts = Omit<Rendered, 'type' | 'builder'>

function readImageBuild(builder: Builder, parts: Parts): ReadBuild {
  const { dockerfile = '', target = '', inject_env_variables_in_dockerfile: isInjected = false } = builder
  const packer = packerOf(builder)
  const context = (packer ? builder.build_path : builder.context) ?? ''
  const stores = ((parts.destinations ?? []) as Destination[]).filter(({ type }) => type !== 's3')
  const [store] = stores
  const isOther = store?.type === 'registry'
  const destination = isOther ? repositoryElsewhere(store) : repositoryAt(store?.repository_arn ?? '')
  const isPath = (path: string) => ['', '.'].includes(path) || isPlainPath(path)
  const faults = [
    ...(stores.length === 1
      ? []
      : [`build.destinations: expected one of the type ecr or registry, there are ${stores.length}`]),
    ...(store && !destination
      ? [
          isOther
            ? 'build.destinations: expected a repository such as registry.example.com/shop/web, a username and a password'
            : 'build.destinations: expected the ARN of a repository as repository_arn',
        ]
      : []),
    ...(isPath(context)
      ? []
      : [`build.builder.${packer ? 'build_path' : 'context'}: expected a folder below the base path, such as app`]),
    ...(isPath(dockerfile) ? [] : ['build.builder.dockerfile: expected a file below the base path']),
    ...packerFaults(packer),
    ...(/^[\w.-]*$/.test(target) && !target.startsWith('-')
      ? []
      : ['build.builder.target: expected the name of a stage']),
  ]
  if (!destination || faults.length > 0) return { verdict: 'wrong', faults }
  const image = {
    dockerfile: dockerfile || 'Dockerfile',
    ...present({ packer }),
    context: context || '.',
    target: target || undefined,
    isInjected,
  }
  return { verdict: 'read', build: { kind: 'image', ...anyBuildOf(parts), image, destination } }
}

/** Matches a host with a registry name, as the registry specification defines it. */
const elsewhere =
  /^((?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d{1,5})?)\/([a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*)$/

function repositoryElsewhere({ repository: address = '', region, username, password }: Destination) {
  const [, host, repository] = (address.length > 400 ? null : elsewhere.exec(address)) ?? []
  if (!host || !repository || !username || username.includes(':') || !password) return undefined
  return { host, repository, region: region || defaultRegion, access: { username, password } }
}

/** Default region of stored variables, kept for compatibility. */
const defaultRegion = 'us-east-1'

function packerOf(builder: Builder): ZeroConfigBuilder | undefined {
  const { type: tool, railpack_version, nixpacks_version } = builder
  if (tool !== 'nixpacks' && tool !== 'railpack') return undefined
  return {
    tool,
    ...present({
      version: (tool === 'nixpacks' ? nixpacks_version : railpack_version) || undefined,
      installCommand: builder.install_cmd || undefined,
      buildCommand: builder.build_cmd || undefined,
      startCommand: builder.start_cmd || undefined,
      configFile: builder.config_file_path || undefined,
    }),
    nixPackages: listOf(builder.nix_pkgs),
    aptPackages: listOf(builder.apt_pkgs),
    nixLibraries: listOf(builder.nix_libs),
  }
}

/** Parses packages from a list, or from a text separated by spaces or commas. */
const listOf = (packages: string | string[] = []): string[] =>
  (typeof packages === 'string' ? packages.split(/[\s,]+/) : packages).filter((name) => name !== '')

/**
 * Returns the errors in values that would become options of the tool's command line, or paths outside of the source.
 */
function packerFaults(packer: ZeroConfigBuilder | undefined): string[] {
  if (!packer) return []
  const { version = '', configFile = '', nixPackages, aptPackages, nixLibraries } = packer
  const odd = [...nixPackages, ...aptPackages, ...nixLibraries].filter((name) => name.startsWith('-'))
  return [
    ...(/^v?[\w.+-]*$/.test(version)
      ? []
      : [`build.builder.${packer.tool}_version: expected a version, such as 1.41.0`]),
    ...(configFile === '' || isPlainPath(configFile)
      ? []
      : ['build.builder.config_file_path: expected a file below the folder that is built']),
    ...odd.map((name) => `build.builder: ${name} is not a valid package name`),
  ]
}

/** Parses the ARN of a repository, whose parts are in the image reference. */
function repositoryAt(arn: string): ImageDestination | undefined {
  const [, , , region = '', account = '', name = ''] = repositoryLooks.exec(arn)?.[0].split(':') ?? []
  if (account === '') return undefined
  const host = `${account}.dkr.ecr.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  return { arn, host, repository: name.slice('repository/'.length), region }
}

const repositoryLooks =
  /^arn:aws[a-z-]*:ecr:[a-z]{2}(?:-[a-z]+)+-\d{1,2}:\d{12}:repository\/[a-z0-9][a-z0-9._/-]{1,255}$/

function readFileBuild(kind: FilesPlan['kind'], builder: Builder, parts: Parts): ReadBuild {
  const { destinations = [] } = parts
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
    ...cacheRuleFaults(store?.cache_control ?? [], 'build.destinations: cache_control'),
  ]
  if (!store || faults.length > 0) return { verdict: 'wrong', faults }
  const { bucket = '', region = '', directory, cache_control: cacheControl = [] } = store
  const destination = { bucket, region, directory: directory || undefined, cacheControl }
  const made = { commands: commandsOf(builder), outputDirectory, destination }
  return { verdict: 'read', build: { kind, ...anyBuildOf(parts), ...made } }
}

type Destination = {
  type: string
  bucket?: string
  region?: string
  directory?: string
  cache_control?: CacheRule[]
  repository_arn?: string
  repository?: string
  username?: string
  password?: string
}

function anyBuildOf({ source, environment_variables: variables = {}, infrastructure, timeout }: Parts): AnyBuild {
  return {
    source: source && {
      repo: source.repo,
      ref: source.ref || source.branch || undefined,
      basePath: source.base_path || '.',
    },
    ...variablesOf(variables),
    account: accountOf(infrastructure),
    instanceSize: infrastructure?.instance_size || undefined,
    commandSeconds: timeout === undefined ? undefined : Math.ceil(timeout),
  }
}

/** Pattern of a region, which becomes part of a host name that receives credentials. */
const regionLooks = /^[a-z]{2}(-[a-z]+)+-\d{1,2}$/

/** Reports whether a relative path stays inside its directory. */
const isPlainPath = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') && !path.includes('\0')

const commandsOf = ({ install_cmd, build_cmd }: Builder): FileBuild['commands'] =>
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

import { type TProperties, Type } from 'typebox'

/**
 * Rendered blocks of a config, except `deploy`. In a config, every part may be a template, see `templated.ts`; null
 * counts as absent.
 */

/** Requires only the members that identify parts. The code that uses a rendered block checks the rest. */
const object = (properties: TProperties, required: readonly string[] = []) =>
  Type.Object(
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        required.includes(name) ? schema : Type.Optional(schema),
      ]),
    ),
    { additionalProperties: false },
  )

const text = Type.String()
const texts = Type.Array(Type.String())
const free = Type.Object({}, { additionalProperties: Type.Unknown(), description: 'Free-form.' })
const seconds = Type.Number({ minimum: 0, description: 'Seconds.' })

const gitSource = object({ type: Type.Enum(['git']), repo: text, branch: text, ref: text, base_path: text })

const variables = (...references: string[]) =>
  Type.Record(
    Type.String(),
    Type.Union([
      Type.String(),
      Type.Number(),
      Type.Boolean(),
      ...references.map((name) => object({ [name]: text }, [name])),
    ]),
    { description: 'Environment variables by name: a value, or a reference to a stored one.' },
  )

const pipelineInput = object({
  files: Type.Record(Type.String(), Type.String(), {
    description: 'Content of each file by path, instead of `repo`.',
  }),
  repo: text,
  branch: text,
  ref: text,
  base_path: text,
  stack_id: text,
  tool: text,
  tool_version: text,
  cloud_account_id: text,
  cloud_region: text,
  execution_environment_id: text,
  iac_variables: free,
  iac_variable_files: texts,
  environment_variables: variables('from_parameter_store', 'from_secrets_manager'),
})

/** `equals` may be null, which counts as absent here. */
const payloadFilter = object({ path: text, equals: Type.Unknown(), not: object({ equals: Type.Unknown() }) }, ['path'])

const trigger = object(
  {
    id: text,
    type: Type.Enum(['webhook:githosta', 'webhook:githostb']),
    event: Type.Enum(['push', 'pull_request']),
    repo: text,
    filter: object({ branch: text, paths: texts, action: texts, payload: Type.Array(payloadFilter) }),
    run: Type.Record(Type.String(), object({ input: pipelineInput }), { description: 'Inputs by variant.' }),
  },
  ['id', 'type', 'event'],
)

export const stackBlock = object(
  {
    type: text,
    service_state_backend_workspace: text,
    pipelines: object({
      defaults: object({ variant: text, input: pipelineInput }),
      change: object({ pipeline_id: text, triggers: Type.Array(trigger) }),
      destroy: object({ pipeline_id: text }),
    }),
  },
  ['type'],
)

const packages = Type.Union([Type.String(), Type.Array(Type.String())])

const builder = object(
  {
    type: Type.Enum(['commands', 'dockerfile', 'railpack', 'nixpacks', 'disabled']),
    dockerfile: text,
    context: text,
    target: text,
    inject_env_variables_in_dockerfile: Type.Boolean(),
    railpack_version: text,
    nixpacks_version: text,
    config_file_path: text,
    build_path: text,
    nix_pkgs: packages,
    apt_pkgs: packages,
    nix_libs: packages,
    install_cmd: text,
    build_cmd: text,
    start_cmd: text,
    cache_from: object({ tag: text }),
    output_directory: text,
  },
  ['type'],
)

const destination = object(
  {
    id: text,
    type: Type.Enum(['ecr', 'registry', 's3']),
    repository_arn: text,
    repository: text,
    username: text,
    password: text,
    tags: texts,
    bucket: text,
    region: text,
    directory: text,
    cache_control: Type.Array(object({ path: text, value: text }, ['path', 'value']), {
      maxItems: 20,
      description: 'Cache-Control header by path. The first match applies.',
    }),
  },
  ['id', 'type'],
)

export const buildTypes = ['image', 'static', 'lambda', 'disabled'] as const

/** Parts of a build block besides its type and inputs. */
export const buildParts = {
  source: gitSource,
  builder,
  destinations: Type.Array(destination),
  environment_variables: variables('fromParameterStore', 'fromSecretManager'),
  infrastructure: object({
    type: Type.Enum(['ec2', 'ec2-spot']),
    instance_size: text,
    ami: text,
    region: text,
    cloud_account_id: text,
    execution_environment_id: text,
  }),
  timeout: seconds,
}

const monitor = { type: Type.Enum(['cloud_monitor']), cloud_account_id: text, region: text }

export const uiBlock = object({
  links: Type.Array(object({ name: text, href: text }, ['name', 'href'])),
  logs: Type.Array(
    object(
      {
        id: text,
        name: text,
        source: object({ ...monitor, log_group: text, log_stream_prefix: text, filter_pattern: text }),
      },
      ['id', 'name', 'source'],
    ),
  ),
  metrics: Type.Array(
    object(
      {
        id: text,
        name: text,
        type: Type.Enum(['line']),
        source: object({ ...monitor, namespace: text, name: text, statistic: text, dimensions: free }),
      },
      ['id', 'name', 'type', 'source'],
    ),
  ),
})

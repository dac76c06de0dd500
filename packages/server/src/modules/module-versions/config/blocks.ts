import type { DeploymentType } from '@sluice/contract'
import { type TProperties, type TSchema, Type } from 'typebox'
import { pauseStages } from '../../../delivery/deployments/ecs/track.ts'
import { functionPauseStages } from '../../../delivery/deployments/lambda/track.ts'

/**
 * The blocks of a config as they are when they are rendered. Every part may be a template instead, see `templated.ts`;
 * what is null counts as absent.
 */

/** Nothing is required but what tells parts apart: whoever reads a rendered block knows what it needs. */
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
const numberFrom = (minimum: number, maximum: number) => Type.Number({ minimum, maximum })

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
    { description: 'By name: a value, or a reference to where it is kept.' },
  )

const pipelineInput = object({
  files: Type.Record(Type.String(), Type.String(), {
    description: 'The code itself, from path to content; instead of repo.',
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
    run: Type.Record(Type.String(), object({ input: pipelineInput }), { description: 'By variant.' }),
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
    type: Type.Enum(['dockerfile', 'railpack', 'nixpacks', 'disabled']),
    dockerfile: text,
    context: text,
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
    type: Type.Enum(['ecr', 's3']),
    repository_arn: text,
    tags: texts,
    bucket: text,
    region: text,
    directory: text,
  },
  ['id', 'type'],
)

export const buildTypes = ['image', 'static', 'lambda', 'disabled'] as const

/** The parts of a build block beside its type and its inputs. */
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

const taskParts = {
  container_overrides: Type.Array(
    object(
      {
        name: text,
        command: texts,
        environment: Type.Array(free),
        cpu: Type.Unknown(),
        memory: Type.Unknown(),
      },
      ['name'],
    ),
  ),
  cpu: text,
  memory: text,
  ephemeral_storage: free,
  task_role_arn: text,
  execution_role_arn: text,
  capacity_provider_strategy: Type.Array(
    object({ capacity_provider: text, weight: Type.Number(), base: Type.Number() }, ['capacity_provider']),
  ),
  network_configuration: free,
  enable_execute_command: Type.Boolean(),
  timeout: seconds,
}

const analysis = object(
  {
    interval: seconds,
    count: numberFrom(1, 1_000),
    failure_limit: numberFrom(0, 1_000),
    inconclusive_limit: numberFrom(0, 1_000),
    checks: Type.Array(
      object(
        {
          name: text,
          metric: object({ namespace: text, name: text, statistic: text, dimensions: free, period: seconds }),
          at_least: Type.Number(),
          at_most: Type.Number(),
          no_data: Type.Enum(['fail', 'continue', 'wait']),
          no_data_after: numberFrom(0, 3_600),
          http: object({ url: text, headers: free, status: Type.Number() }),
        },
        ['name'],
      ),
    ),
  },
  ['checks'],
)

const bakeMinutes = numberFrom(0, 1_440)
const percent = numberFrom(1, 100)

const trafficStrategy = (types: readonly string[], stages: readonly string[]) =>
  object(
    {
      type: Type.Enum([...types]),
      bake_time_in_minutes: bakeMinutes,
      linear: object({ step_percentage: percent, step_bake_time_in_minutes: bakeMinutes }),
      canary: object({ canary_percent: percent, canary_bake_time_in_minutes: bakeMinutes }),
      pause_stages: Type.Array(
        object(
          {
            stage: Type.Enum([...stages]),
            timeout_in_minutes: numberFrom(1, 20_160),
            timeout_action: Type.Enum(['ROLLBACK', 'CONTINUE']),
          },
          ['stage'],
        ),
      ),
    },
    ['type'],
  )

/** The parts of a deploy block beside its type, its inputs and its concurrency. */
export const deployParts = {
  'cloud:ecs': {
    timeout: seconds,
    infrastructure: object({
      ecs_cluster_arn: text,
      ecs_service_arn: text,
      ecs_target_group_arn: text,
      ecs_alternate_target_group_arn: text,
      ecs_production_listener_rule_arn: text,
      ecs_test_listener_rule_arn: text,
      ecs_infrastructure_role_arn: text,
    }),
    task_definition: free,
    pre_deploy: object(taskParts),
    post_deploy: object({ ...taskParts, failure_action: Type.Enum(['ROLLBACK', 'FAIL']) }),
    alarms: texts,
    analysis,
    strategy: trafficStrategy(['rolling', 'blue_green', 'linear', 'canary'], pauseStages),
  },
  'cloud:ec2': {
    timeout: seconds,
    infrastructure: object({
      autoscaling_group_name: text,
      cloud_account_id: text,
      region: text,
      log_group_name: text,
      target_group_arn: text,
    }),
    definition: object({ runtime: Type.Enum(['container', 'manual']), image_uri: text, commands: texts }, ['runtime']),
    strategy: object(
      { type: Type.Enum(['rolling']), concurrency_max: text, errors_max: text, automatic_rollback: Type.Boolean() },
      ['type'],
    ),
    source: gitSource,
  },
  'cloud:lambda': {
    timeout: seconds,
    infrastructure: object({ function_arn: text, region: text, alias_name: text, s3_artifact_bucket: text }),
    definition: object({ package_type: Type.Enum(['zip', 'image']), s3_key: text, image_uri: text }, ['package_type']),
    analysis,
    strategy: trafficStrategy(['all_at_once', 'linear', 'canary'], functionPauseStages),
  },
  'cloud:static': {
    timeout: seconds,
    infrastructure: object({
      s3_bucket: text,
      s3_region: text,
      cdn_distribution_arns: texts,
      cdn_keyvaluestore_arn: text,
    }),
    definition: object({
      s3_directory: text,
      cdn_invalidation_paths: texts,
      keep_latest_successful_deploy_count: Type.Number({ minimum: 0 }),
    }),
  },
} as const satisfies Record<DeploymentType, Record<string, TSchema>>

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

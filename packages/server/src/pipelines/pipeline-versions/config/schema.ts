import type { Matrix, MatrixOrigin } from '@sluice/contract/pipeline-matrix'
import { type Static, Type } from 'typebox'
import { iacStepConfigs } from './iac-steps.ts'
import { workStepConfigs } from './work-steps.ts'

/**
 * Configuration of a pipeline version as written: keys in snake_case, and templates in every free value. Published at
 * `/schemas/pipeline.json`.
 */

const closed = { additionalProperties: false } as const

export const inputTypes = ['string', 'number', 'boolean', 'string_array', 'array', 'object', 'json'] as const

const Input = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,62}$',
      description: 'Name of the input. Templates read it as `inputs.<id>`.',
    }),
    type: Type.Enum(inputTypes, { description: 'Type of the value.' }),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Label in forms.' })),
    description: Type.Optional(Type.String({ maxLength: 10_000, description: 'Help text in forms.' })),
    required: Type.Optional(Type.Boolean({ default: false, description: 'Whether a run requires a value.' })),
    default: Type.Optional(Type.Unknown({ description: 'Default value.' })),
    values: Type.Optional(Type.Array(Type.Unknown(), { minItems: 1, description: 'Allowed values.' })),
  },
  { ...closed, description: 'Input of a run.' },
)

/** Inputs of the runs that a trigger starts; their templates can read `trigger`. */
const TriggerInputs = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Inputs of the runs that it starts. Templates can read `trigger`.',
  }),
)

/** Actions of pull requests, as the first host names them. */
export const requestActions = ['opened', 'synchronize', 'reopened', 'closed'] as const

const Patterns = (what: string, otherwise = 'Default: all.') =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
      minItems: 1,
      description: `Patterns for ${what}: * matches any characters except /, ** any characters. ${otherwise}`,
    }),
  )

/** Schemas of triggers, by type. */
export const triggerSchemas = {
  manual: Type.Object(
    { type: Type.Literal('manual') },
    { ...closed, description: 'Starts runs on request of a user or program.' },
  ),
  push: Type.Object(
    {
      type: Type.Literal('push'),
      code_source_id: Type.String({ minLength: 1, description: 'Code source with the repository.' }),
      branches: Patterns('branches', 'Without it, all; where only `tags` are named, none.'),
      tags: Patterns('tags', 'Without it, none.'),
      paths: Patterns('files must have changed', 'Without it, all. It does not hold for tags.'),
      inputs: TriggerInputs,
    },
    { ...closed, description: 'Starts a run when commits or a tag are pushed to a code source.' },
  ),
  pull_request: Type.Object(
    {
      type: Type.Literal('pull_request'),
      code_source_id: Type.String({ minLength: 1, description: 'Code source with the repository.' }),
      branches: Patterns('branches it is to be merged into'),
      paths: Patterns('files it must change'),
      actions: Type.Optional(
        Type.Array(Type.Enum(requestActions), {
          minItems: 1,
          description: 'Actions that start a run; `synchronize` means new commits. Default: all except `closed`.',
        }),
      ),
      inputs: TriggerInputs,
    },
    {
      ...closed,
      description: 'Starts a run when a pull request (merge request) is opened or changed, except from a fork.',
    },
  ),
  merge_group: Type.Object(
    {
      type: Type.Literal('merge_group'),
      code_source_id: Type.String({ minLength: 1, description: 'Code source with the repository.' }),
      branches: Patterns('branches it is to be merged into'),
      paths: Patterns('files it must change'),
      inputs: TriggerInputs,
    },
    { ...closed, description: 'Starts a run when a merge queue requests checks before a merge. GitHub only.' },
  ),
  schedule: Type.Object(
    {
      type: Type.Literal('schedule'),
      cron: Type.String({
        minLength: 1,
        description: 'Cron expression: minute, hour, day of month, month, day of week.',
        examples: ['0 6 * * 1-5'],
      }),
      time_zone: Type.Optional(
        Type.String({ default: 'UTC', description: 'IANA name of the time zone.', examples: ['Europe/Berlin'] }),
      ),
      inputs: TriggerInputs,
    },
    { ...closed, description: 'Starts runs at scheduled times. Times missed while Sluice was down start one run.' },
  ),
  pipeline: Type.Object(
    {
      type: Type.Literal('pipeline'),
      pipeline_id: Type.String({ minLength: 1, description: 'ID of the other pipeline.' }),
      statuses: Type.Optional(
        Type.Array(Type.Enum(['SUCCESS', 'ERROR', 'CANCELLED']), {
          minItems: 1,
          description: 'Statuses that start a run. Default: SUCCESS.',
        }),
      ),
      inputs: TriggerInputs,
    },
    { ...closed, description: 'Starts a run when a run of another pipeline ends.' },
  ),
} as const

const Trigger = Type.Union(Object.values(triggerSchemas))

const Concurrency = Type.Object(
  {
    group: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Name of the group, or a template. Runs of one group in the organization execute one at a time.',
    }),
    policy: Type.Optional(
      Type.Enum(['queue', 'cancel_previous', 'reject'], {
        default: 'queue',
        description: 'What happens to a new run while another run of the group is in progress.',
      }),
    ),
  },
  { ...closed, description: 'Limits concurrent runs.' },
)

const Approval = Type.Object(
  {
    approvers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 320 }), {
        minItems: 1,
        description:
          'Approvers: email addresses, or roles such as ADMIN, which include higher roles. Default: everyone with permission to approve.',
      }),
    ),
    timeout_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_592_000, default: 604_800, description: 'Time to decide, in seconds.' }),
    ),
    on_timeout: Type.Optional(
      Type.Enum(['reject', 'approve'], { default: 'reject', description: 'What happens if nobody decides in time.' }),
    ),
    on_no_changes: Type.Optional(
      Type.Enum(['approve', 'ask'], {
        description:
          'What happens if no plan to be applied has changes. Default: `ask` if steps of other types than `iac:apply` wait for the same decision, otherwise `approve`.',
      }),
    ),
    message: Type.Optional(
      Type.String({ maxLength: 10_000, description: 'Question to the approvers; can be a template.' }),
    ),
  },
  { ...closed, description: 'Requires an approval before the step starts.' },
)

const Retry = Type.Object(
  {
    attempts: Type.Integer({ minimum: 1, maximum: 20, description: 'Maximum number of attempts.' }),
    backoff_seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 86_400,
        default: 10,
        description: 'Seconds before the second attempt, doubled after each further one.',
      }),
    ),
    max_backoff_seconds: Type.Optional(
      Type.Number({ minimum: 0, maximum: 86_400, default: 600, description: 'Maximum seconds between attempts.' }),
    ),
    on: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Error codes that are retried; a * at the end matches any suffix. Default: all.',
        examples: [['Sluice:Iac:*']],
      }),
    ),
  },
  { ...closed, description: 'Retries failed attempts.' },
)

/** Maximum number of combinations of a matrix, as in GitHub Actions. */
export const maxCombinations = 256

const MatrixValue = Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Number(), Type.Boolean()])
const Combinations = Type.Array(Type.Record(Type.String(), MatrixValue, { minProperties: 1, maxProperties: 20 }), {
  minItems: 1,
  maxItems: maxCombinations,
})

/** One step for each combination of values, as in GitHub Actions. */
const Strategy = Type.Object(
  {
    matrix: Type.Object(
      {
        include: Type.Optional(Combinations),
        exclude: Type.Optional(Combinations),
      },
      {
        additionalProperties: Type.Array(MatrixValue, { minItems: 1, maxItems: maxCombinations }),
        minProperties: 1,
        maxProperties: 12, // 10 axes, include and exclude
        description:
          'Lists of values by name. The step runs for each combination, and templates read its values as `matrix.<name>`. `exclude` removes combinations; `include` adds values to combinations, or new combinations.',
      },
    ),
    max_parallel: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: 'Maximum number that run at the same time. Default: all.' }),
    ),
  },
  { ...closed, description: 'Runs the step once for each combination of values.' },
)

/** Properties that every step can have. */
export const common = {
  id: Type.String({
    pattern: '^[a-z][a-z0-9_-]{0,62}$',
    description: 'ID of the step. Templates read its output as `steps.<id>.output`.',
  }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Display name. Default: the ID.' })),
  needs: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      maxItems: 100,
      description: 'IDs of the steps that must end first. Default: the step before. [] starts immediately.',
    }),
  ),
  when: Type.Optional(
    Type.Union([Type.Boolean(), Type.String({ minLength: 1 })], {
      description:
        'Template: if its value is empty (null, false, 0 or an empty text), the step is skipped. All steps in `needs` must also have succeeded, unless the template reads `needs.succeeded`.',
    }),
  ),
  strategy: Type.Optional(Strategy),
  approval: Type.Optional(Approval),
  retry: Type.Optional(Retry),
  timeout_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_592_000,
      description: 'Maximum duration of an attempt in seconds. A longer attempt fails.',
    }),
  ),
  on_failure: Type.Optional(
    Type.Enum(['fail', 'continue'], {
      default: 'fail',
      description: 'Whether a failure of the step fails the run. `continue` treats it as a success.',
    }),
  ),
}

/** Additional properties of steps that run programs. */
const ofPrograms = {
  execution_environment_id: Type.Optional(
    Type.String({
      pattern: '^ee_[0-9a-z]{26}$',
      description: 'Execution environment for the step. Default: the one assigned when the run starts.',
    }),
  ),
}

/** Reports whether steps of this type run programs, which requires a runner. */
export const runsPrograms = (type: string): boolean => type === 'build' || type === 'command' || type.startsWith('iac:')

const stepOf = <Kind extends string, With extends ReturnType<typeof Type.Object>>(type: Kind, config: With) => {
  const hasRequired = Object.values(config.properties).some((property) => !Type.IsOptional(property))
  const { description = type } = config as { description?: string }
  return Type.Object(
    {
      ...common,
      ...(runsPrograms(type) && ofPrograms),
      type: Type.Literal(type),
      with: hasRequired ? config : Type.Optional(config),
    },
    { ...closed, description },
  )
}

export const stepConfigs = { ...iacStepConfigs, ...workStepConfigs }
export type StepType = keyof typeof stepConfigs
export const stepTypes = Object.keys(stepConfigs) as StepType[]
export type StepWith<T extends StepType> = Static<(typeof stepConfigs)[T]>

/** Schemas of complete steps, by type. */
export const stepSchemas = Object.fromEntries(
  stepTypes.map((type) => [type, stepOf(type, stepConfigs[type])]),
) as Readonly<Record<StepType, ReturnType<typeof stepOf>>>

const Step = Type.Union(Object.values(stepSchemas))

/** Maximum numbers of inputs, triggers and steps. */
export const maxCounts = { inputs: 200, triggers: 50, steps: 500 } as const

export const PipelineConfig = Type.Object(
  {
    inputs: Type.Optional(Type.Array(Input, { maxItems: maxCounts.inputs, description: 'Inputs of a run.' })),
    triggers: Type.Optional(
      Type.Array(Trigger, { maxItems: maxCounts.triggers, description: 'Events that start runs.' }),
    ),
    concurrency: Type.Optional(Concurrency),
    steps: Type.Array(Step, { minItems: 1, maxItems: maxCounts.steps, description: 'Steps of a run.' }),
  },
  { ...closed, description: 'Configuration of a pipeline.' },
)

export type PipelineInput = Static<typeof Input>
type TriggerSchemas = typeof triggerSchemas
export type PipelineTrigger = { [Type in keyof TriggerSchemas]: Static<TriggerSchemas[Type]> }[keyof TriggerSchemas]
export type ConcurrencyConfig = Static<typeof Concurrency>
export type ApprovalConfig = Static<typeof Approval>
export type RetryConfig = Static<typeof Retry>

type CommonStep = Static<ReturnType<typeof Type.Object<typeof common>>>

/** Step as written, or created by a matrix; `with` is rendered when the step starts. */
export type StepConfig = Omit<CommonStep, 'strategy'> &
  MatrixOrigin & {
    strategy?: { matrix: Matrix; max_parallel?: number }
    type: StepType
    execution_environment_id?: string
    with?: Record<string, unknown>
  }

export type PipelineConfig = {
  inputs?: PipelineInput[]
  triggers?: PipelineTrigger[]
  concurrency?: ConcurrencyConfig
  steps: StepConfig[]
}

import type { Matrix, OfMatrix } from '@sluice/contract/pipeline-matrix'
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
    id: Type.String({ pattern: '^[a-z][a-z0-9_]{0,62}$', description: 'Read by templates as `inputs.<id>`.' }),
    type: Type.Enum(inputTypes, { description: 'What the value must be.' }),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'For forms.' })),
    description: Type.Optional(Type.String({ maxLength: 10_000, description: 'For people.' })),
    required: Type.Optional(Type.Boolean({ default: false, description: 'Whether a run must be given a value.' })),
    default: Type.Optional(Type.Unknown({ description: 'The value of a run that gives none.' })),
    values: Type.Optional(Type.Array(Type.Unknown(), { minItems: 1, description: 'The only values allowed.' })),
  },
  { ...closed, description: 'What a run is given.' },
)

/** Inputs of the runs that a trigger starts; their templates can read `trigger`. */
const TriggerInputs = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), { description: 'Inputs of the runs it starts; may read `trigger`.' }),
)

/** Actions of pull requests, as the first host names them. */
export const requestActions = ['opened', 'synchronize', 'reopened', 'closed'] as const

const Patterns = (what: string, otherwise = 'Without it, all.') =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
      minItems: 1,
      description: `Which ${what}: names, with * for any part but / and ** for any part. ${otherwise}`,
    }),
  )

/** Schemas of triggers, by type. */
export const triggerSchemas = {
  manual: Type.Object(
    { type: Type.Literal('manual') },
    { ...closed, description: 'A person or a program asks for a run.' },
  ),
  push: Type.Object(
    {
      type: Type.Literal('push'),
      code_source_id: Type.String({ minLength: 1, description: 'The repository that is pushed to.' }),
      branches: Patterns('branches', 'Without it, all; where only `tags` are named, none.'),
      tags: Patterns('tags', 'Without it, none.'),
      paths: Patterns('files must have changed', 'Without it, all. It does not hold for tags.'),
      inputs: TriggerInputs,
    },
    { ...closed, description: 'Commits are pushed to a branch of a code source, or a tag.' },
  ),
  pull_request: Type.Object(
    {
      type: Type.Literal('pull_request'),
      code_source_id: Type.String({ minLength: 1, description: 'The repository that it is opened in.' }),
      branches: Patterns('branches it is to be merged into'),
      paths: Patterns('files it must change'),
      actions: Type.Optional(
        Type.Array(Type.Enum(requestActions), {
          minItems: 1,
          description: 'What becomes of it; `synchronize` is new commits. Without it, all but `closed`.',
        }),
      ),
      inputs: TriggerInputs,
    },
    { ...closed, description: 'A pull request (merge request) is opened or changed. One from a fork starts nothing.' },
  ),
  merge_group: Type.Object(
    {
      type: Type.Literal('merge_group'),
      code_source_id: Type.String({ minLength: 1, description: 'The repository that has a merge queue.' }),
      branches: Patterns('branches it is to be merged into'),
      paths: Patterns('files it must change'),
      inputs: TriggerInputs,
    },
    { ...closed, description: 'A merge queue asks for checks of what it is about to merge. GitHub only.' },
  ),
  schedule: Type.Object(
    {
      type: Type.Literal('schedule'),
      cron: Type.String({
        minLength: 1,
        description: 'Minute, hour, day of month, month, day of week.',
        examples: ['0 6 * * 1-5'],
      }),
      time_zone: Type.Optional(
        Type.String({ default: 'UTC', description: 'By its IANA name.', examples: ['Europe/Berlin'] }),
      ),
      inputs: TriggerInputs,
    },
    { ...closed, description: 'The clock says so. A time that was missed while nothing ran is made up for once.' },
  ),
  pipeline: Type.Object(
    {
      type: Type.Literal('pipeline'),
      pipeline_id: Type.String({ minLength: 1, description: 'The pipeline whose runs are waited for.' }),
      statuses: Type.Optional(
        Type.Array(Type.Enum(['SUCCESS', 'ERROR', 'CANCELLED']), { minItems: 1, description: 'Without it, SUCCESS.' }),
      ),
      inputs: TriggerInputs,
    },
    { ...closed, description: 'A run of another pipeline ends.' },
  ),
} as const

const Trigger = Type.Union(Object.values(triggerSchemas))

const Concurrency = Type.Object(
  {
    group: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Runs of the organization that share it run one at a time; a template.',
    }),
    policy: Type.Optional(
      Type.Enum(['queue', 'cancel_previous', 'reject'], {
        default: 'queue',
        description: 'What happens to a new run while one of the group is in progress.',
      }),
    ),
  },
  { ...closed, description: 'Which runs keep out of each other’s way.' },
)

const Approval = Type.Object(
  {
    approvers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 320 }), {
        minItems: 1,
        description:
          'Who may decide: email addresses, or roles such as ADMIN (and above). Without it, everyone who may approve.',
      }),
    ),
    timeout_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_592_000, default: 604_800, description: 'How long it is waited for.' }),
    ),
    on_timeout: Type.Optional(
      Type.Enum(['reject', 'approve'], { default: 'reject', description: 'What happens without a decision in time.' }),
    ),
    on_no_changes: Type.Optional(
      Type.Enum(['approve', 'ask'], {
        description:
          'What happens when no plan that would be applied has changes. Without it, `ask` if other steps than `iac:apply` wait for the same decision, else `approve`.',
      }),
    ),
    message: Type.Optional(Type.String({ maxLength: 10_000, description: 'What is asked; a template.' })),
  },
  { ...closed, description: 'Before the step does anything, a person decides.' },
)

const Retry = Type.Object(
  {
    attempts: Type.Integer({ minimum: 1, maximum: 20, description: 'How often in all.' }),
    backoff_seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 86_400,
        default: 10,
        description: 'Before the second attempt; doubled each time.',
      }),
    ),
    max_backoff_seconds: Type.Optional(
      Type.Number({ minimum: 0, maximum: 86_400, default: 600, description: 'At most.' }),
    ),
    on: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Only after errors with one of these codes; a * at the end matches any suffix.',
        examples: [['Sluice:Iac:*']],
      }),
    ),
  },
  { ...closed, description: 'Whether a failed attempt is made again.' },
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
          'Values by name, read by templates as `matrix.<name>`: a step runs for each combination. `exclude` leaves combinations out, `include` adds values to combinations, or further ones.',
      },
    ),
    max_parallel: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: 'How many of them run at the same time.' }),
    ),
  },
  { ...closed, description: 'Runs the step once for each combination of values.' },
)

/** Properties that every step can have. */
export const common = {
  id: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,62}$', description: 'Read by templates as `steps.<id>.output`.' }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Display name; the id without it.' })),
  needs: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      maxItems: 100,
      description: 'Ids of the steps that must be over before. Without it the step before; [] starts at once.',
    }),
  ),
  when: Type.Optional(
    Type.Union([Type.Boolean(), Type.String({ minLength: 1 })], {
      description:
        'A template; if its value is empty (null, false, 0, empty text) the step is skipped. Unless it reads `needs.succeeded` itself, the needs must have succeeded as well.',
    }),
  ),
  strategy: Type.Optional(Strategy),
  approval: Type.Optional(Approval),
  retry: Type.Optional(Retry),
  timeout_seconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_592_000, description: 'After this an attempt is stopped and has failed.' }),
  ),
  on_failure: Type.Optional(
    Type.Enum(['fail', 'continue'], {
      default: 'fail',
      description: 'Whether its failure fails the run, or the run continues as if it had succeeded.',
    }),
  ),
}

/** Additional properties of steps that run programs. */
const ofPrograms = {
  execution_environment_id: Type.Optional(
    Type.String({
      pattern: '^ee_[0-9a-z]{26}$',
      description:
        'The execution environment that its program runs in. Without it, the one chosen at the start of the run.',
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
    inputs: Type.Optional(Type.Array(Input, { maxItems: maxCounts.inputs, description: 'What a run is given.' })),
    triggers: Type.Optional(
      Type.Array(Trigger, { maxItems: maxCounts.triggers, description: 'What starts runs, beside people.' }),
    ),
    concurrency: Type.Optional(Concurrency),
    steps: Type.Array(Step, { minItems: 1, maxItems: maxCounts.steps, description: 'What a run does.' }),
  },
  { ...closed, description: 'The configuration of a pipeline.' },
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
  OfMatrix & {
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

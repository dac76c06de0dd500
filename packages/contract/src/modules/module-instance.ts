import { type Static, Type } from 'typebox'
import { ValueOption } from '../cloud/value-option.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { GivenId, Id, NewGivenId } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'
import { Description, Name } from './naming.ts'

export const moduleInstanceStatuses = ['PENDING', 'ACTIVE', 'UPDATING', 'ERROR', 'DESTROYING', 'DESTROYED'] as const
export const ModuleInstanceStatus = Type.Enum(moduleInstanceStatuses, {
  description: 'Status of the module instance.',
})
export type ModuleInstanceStatus = Static<typeof ModuleInstanceStatus>

const closed = { additionalProperties: false } as const

// The fields of a source are in snake case because module authors write them in the version's configuration.
const LogSource = Type.Object(
  {
    cloud_account_id: Type.String({ description: 'ID of the cloud account that stores the logs.' }),
    filter_pattern: Type.Optional(Type.String({ description: 'Filter pattern for log lines.' })),
    log_group: Type.String({ description: 'Name of the log group.' }),
    log_stream_prefix: Type.Optional(Type.String({ description: 'Prefix of the log stream names.' })),
    region: Type.String({ description: 'Cloud region.' }),
    type: Type.Literal('cloud_monitor'),
  },
  { ...closed, description: 'Source of log lines.' },
)

const MetricSource = Type.Object(
  {
    cloud_account_id: Type.String({ description: 'ID of the cloud account that stores the metric.' }),
    dimensions: FreeFormObject,
    name: Type.String({ description: 'Name of the metric.' }),
    namespace: Type.String({ description: 'Namespace of the metric.' }),
    region: Type.String({ description: 'Cloud region.' }),
    statistic: Type.String({ description: 'Statistic over the samples, such as Average.' }),
    type: Type.Literal('cloud_monitor'),
  },
  { ...closed, description: 'Source of a metric.' },
)

export const ModuleInstanceUi = Type.Object(
  {
    links: Type.Optional(
      Type.Array(
        Type.Object(
          {
            href: Type.String({ description: 'URL of the link.' }),
            name: Type.String({ description: 'Display name.' }),
          },
          { ...closed, description: 'Link related to the module instance.' },
        ),
      ),
    ),
    logs: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({ description: 'ID of the log, unique within the module instance.' }),
            name: Type.String({ description: 'Display name.' }),
            source: LogSource,
          },
          { ...closed, description: 'Log of the module instance.' },
        ),
      ),
    ),
    metrics: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({ description: 'ID of the metric, unique within the module instance.' }),
            name: Type.String({ description: 'Display name.' }),
            source: MetricSource,
            type: Type.Literal('line', { description: 'Chart type.' }),
          },
          { ...closed, description: 'Metric of the module instance.' },
        ),
      ),
    ),
  },
  { ...closed, description: 'Links, logs and metrics of the module instance.' },
)
export type ModuleInstanceUi = Static<typeof ModuleInstanceUi>

export const ModuleInstance = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    environmentId: Id,
    moduleDefinitionId: Id,
    moduleVersionId: Id,
    givenId: GivenId,
    name: Type.String({ description: 'Display name.' }),
    description: Type.Optional(Type.String({ description: 'Description.' })),
    type: Type.String({ description: 'Type of the module definition.' }),
    status: ModuleInstanceStatus,
    input: FreeFormObject,
    error: Type.Optional(UserFacingError),
    stackId: Type.Optional(Id),
    ui: Type.Optional(ModuleInstanceUi),
  },
  { ...closed, description: 'Instance of a module in an environment, with its input values.' },
)
export type ModuleInstance = Static<typeof ModuleInstance>

/** Data that `include` can add to a module instance. */
export const infrastructureIncluded = {
  infrastructure: Type.Object(
    {
      latestRunId: Type.Optional({
        ...Id,
        description:
          'ID of the pipeline run that is changing the infrastructure, or changed it last. Absent before the first run.',
      }),
    },
    { ...closed, description: 'Origin of the infrastructure.' },
  ),
} as const

const AutoapproveOfRun = Type.Optional(
  Type.Boolean({
    description: 'Whether the run started by `runStack` needs no approval. Ignored without `runStack`.',
  }),
)

export const CreateModuleInstance = Type.Object(
  {
    environmentId: Id,
    moduleDefinitionId: Id,
    moduleVersionId: Type.Optional(Id),
    givenId: NewGivenId,
    name: Name,
    description: Type.Optional(Description),
    input: FreeFormObject,
    runStack: Type.Optional(Type.Boolean({ description: 'Whether to create the infrastructure immediately.' })),
    autoapprove: AutoapproveOfRun,
  },
  { ...closed, description: 'Fields of a new module instance. Without a version, the latest one is used.' },
)
export type CreateModuleInstance = Static<typeof CreateModuleInstance>

export const UpdateModuleInstance = Type.Object(
  {
    autoapprove: AutoapproveOfRun,
    description: Type.Optional(Description),
    environmentId: Type.Optional(Id),
    givenId: Type.Optional(NewGivenId),
    input: Type.Optional(FreeFormObject),
    moduleDefinitionId: Type.Optional(Id),
    moduleVersionId: Type.Optional(Id),
    name: Type.Optional(Name),
    runStack: Type.Optional(Type.Boolean({ description: 'Whether to update the infrastructure immediately.' })),
  },
  { ...closed, description: 'Fields of a module instance to change. `input` is replaced as a whole.' },
)
export type UpdateModuleInstance = Static<typeof UpdateModuleInstance>

export const InputError = Type.Object(
  {
    path: Type.String({ description: 'Path of the value, such as input.listeners[1].port.' }),
    message: Type.String({ description: 'Error message.' }),
  },
  { ...closed, description: 'Error in an input value.' },
)
export type InputError = Static<typeof InputError>

export const FormInput = Type.Object(
  {
    path: Type.String({ description: 'Path of the value, such as listeners[1].port.' }),
    isVisible: Type.Boolean({ description: 'Whether the input is visible with the current values.' }),
    value: Type.Unknown({ description: 'Resolved value. null if the input is hidden or blank.' }),
    options: Type.Optional(Type.Array(ValueOption)),
    definition: FreeFormObject,
  },
  {
    ...closed,
    description: "Form field of an input. `definition` is the input's definition in the version's configuration.",
  },
)
export type FormInput = Static<typeof FormInput>

export const ModuleInstanceInputs = Type.Object(
  {
    moduleInstanceId: Id,
    moduleVersionId: Id,
    version: Type.String({ description: 'Semantic version of the module.' }),
    values: FreeFormObject,
    errors: Type.Array(InputError, { description: 'Errors that must be fixed before the instance can be applied.' }),
    form: Type.Array(FormInput, { description: 'Form fields in display order, including sections.' }),
  },
  { ...closed, description: 'Resolved inputs of a module instance, and its form.' },
)
export type ModuleInstanceInputs = Static<typeof ModuleInstanceInputs>

export const ModuleInstanceUpgrade = Type.Object(
  {
    moduleInstanceId: Id,
    fromVersionId: Id,
    fromVersion: Type.String({ description: 'Current version.' }),
    toVersionId: Id,
    toVersion: Type.String({ description: 'Target version.' }),
    newInputs: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'ID of the input.' }),
          label: Type.Optional(Type.String({ description: 'Display name.' })),
          type: Type.String({ description: 'Type of the input.' }),
          isRequired: Type.Boolean({ description: 'Whether a value is required.' }),
          value: Type.Unknown({ description: 'Resolved default value.' }),
        },
        { ...closed, description: 'Input that the target version adds.' },
      ),
    ),
    removedInputs: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'ID of the input.' }),
          isSet: Type.Boolean({
            description: 'Whether the instance sets a value, which must be removed for the upgrade.',
          }),
        },
        { ...closed, description: 'Input that the target version removes.' },
      ),
    ),
    changedDefaults: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'ID of the input.' }),
          from: Type.Unknown({ description: 'Current default value.' }),
          to: Type.Unknown({ description: 'Default value in the target version.' }),
        },
        { ...closed, description: 'Input without a value whose default changes.' },
      ),
    ),
    errors: Type.Array(InputError, { description: 'Errors that block the upgrade with the current input.' }),
  },
  { ...closed, description: 'Changes that an upgrade to another version would make.' },
)
export type ModuleInstanceUpgrade = Static<typeof ModuleInstanceUpgrade>

export const ApplyModuleInstances = Type.Object(
  {
    ids: Type.Array(Id, { minItems: 1, maxItems: 50, description: 'IDs of the module instances, in any order.' }),
    autoapprove: Type.Optional(Type.Boolean({ description: 'Whether the runs need no approval.' })),
  },
  { ...closed, description: 'Module instances whose infrastructure to apply.' },
)
export type ApplyModuleInstances = Static<typeof ApplyModuleInstances>

import { type Static, Type } from 'typebox'
import { ValueOption } from '../cloud/value-option.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { GivenId, Id, NewGivenId } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'
import { Description, Name } from './naming.ts'

export const moduleInstanceStatuses = ['PENDING', 'ACTIVE', 'UPDATING', 'ERROR', 'DESTROYING', 'DESTROYED'] as const
export const ModuleInstanceStatus = Type.Enum(moduleInstanceStatuses, {
  description: 'Where the instance is in its life.',
})
export type ModuleInstanceStatus = Static<typeof ModuleInstanceStatus>

const closed = { additionalProperties: false } as const

// The members of a source are snake_case because module authors write them so in a version's config.
const LogSource = Type.Object(
  {
    cloud_account_id: Type.String({ description: 'The cloud account that holds the logs.' }),
    filter_pattern: Type.Optional(Type.String({ description: 'Shows only the lines that match.' })),
    log_group: Type.String({ description: 'Name of the log group.' }),
    log_stream_prefix: Type.Optional(Type.String({ description: 'Shows only streams that start so.' })),
    region: Type.String({ description: 'Cloud region.' }),
    type: Type.Literal('cloud_monitor'),
  },
  { ...closed, description: 'Where log lines are read.' },
)

const MetricSource = Type.Object(
  {
    cloud_account_id: Type.String({ description: 'The cloud account that holds the metric.' }),
    dimensions: FreeFormObject,
    name: Type.String({ description: 'Name of the metric.' }),
    namespace: Type.String({ description: 'Namespace of the metric.' }),
    region: Type.String({ description: 'Cloud region.' }),
    statistic: Type.String({ description: 'How samples are combined, such as Average.' }),
    type: Type.Literal('cloud_monitor'),
  },
  { ...closed, description: 'Where a metric is read.' },
)

export const ModuleInstanceUi = Type.Object(
  {
    links: Type.Optional(
      Type.Array(
        Type.Object(
          { href: Type.String({ description: 'Address.' }), name: Type.String({ description: 'What to call it.' }) },
          { ...closed, description: 'A link to show beside the instance.' },
        ),
      ),
    ),
    logs: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({ description: 'Unique within the instance.' }),
            name: Type.String({ description: 'What to call it.' }),
            source: LogSource,
          },
          { ...closed, description: 'A log view.' },
        ),
      ),
    ),
    metrics: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({ description: 'Unique within the instance.' }),
            name: Type.String({ description: 'What to call it.' }),
            source: MetricSource,
            type: Type.Literal('line', { description: 'Kind of chart.' }),
          },
          { ...closed, description: 'A chart.' },
        ),
      ),
    ),
  },
  { ...closed, description: 'What to show beside the instance.' },
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
    description: Type.Optional(Type.String({ description: 'Display text.' })),
    type: Type.String({ description: "The module definition's type." }),
    status: ModuleInstanceStatus,
    input: FreeFormObject,
    error: Type.Optional(UserFacingError),
    stackId: Type.Optional(Id),
    ui: Type.Optional(ModuleInstanceUi),
  },
  { ...closed, description: 'A module placed in an environment, with its input values.' },
)
export type ModuleInstance = Static<typeof ModuleInstance>

/** What can be asked for beside a module instance. */
export const infrastructureIncluded = {
  infrastructure: Type.Object(
    {
      latestRunId: Type.Optional({
        ...Id,
        description: 'The pipeline run that changes it now, or did last; absent before the first.',
      }),
    },
    { ...closed, description: 'How its infrastructure came to be.' },
  ),
} as const

const AutoapproveOfRun = Type.Optional(
  Type.Boolean({
    description: 'Whether the run that runStack starts needs nobody to approve it. Without runStack it has no effect.',
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
    runStack: Type.Optional(Type.Boolean({ description: 'Whether to make its infrastructure at once.' })),
    autoapprove: AutoapproveOfRun,
  },
  { ...closed, description: 'A module to place in an environment; without a version, the latest one.' },
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
    runStack: Type.Optional(Type.Boolean({ description: 'Whether to change its infrastructure at once.' })),
  },
  { ...closed, description: 'What to change; `input` is replaced as a whole.' },
)
export type UpdateModuleInstance = Static<typeof UpdateModuleInstance>

export const InputFault = Type.Object(
  {
    path: Type.String({ description: 'Of the value, such as input.listeners[1].port.' }),
    message: Type.String({ description: 'What is wrong with it.' }),
  },
  { ...closed, description: 'Something that is wrong with an input.' },
)
export type InputFault = Static<typeof InputFault>

export const FormInput = Type.Object(
  {
    path: Type.String({ description: 'Where its value stands, such as listeners[1].port.' }),
    isVisible: Type.Boolean({ description: 'Whether it is asked for, as the other values are.' }),
    value: Type.Unknown({ description: 'The resolved value; null where it is hidden or left blank.' }),
    options: Type.Optional(Type.Array(ValueOption)),
    definition: FreeFormObject,
  },
  { ...closed, description: "An input of a form; `definition` is what the version's config says of it." },
)
export type FormInput = Static<typeof FormInput>

export const ModuleInstanceInputs = Type.Object(
  {
    moduleInstanceId: Id,
    moduleVersionId: Id,
    version: Type.String({ description: 'The version by its number.' }),
    values: FreeFormObject,
    faults: Type.Array(InputFault, { description: 'What must be mended before anything can be run.' }),
    form: Type.Array(FormInput, { description: 'In the order of the form, sections included.' }),
  },
  { ...closed, description: 'The inputs of an instance as they are resolved now, and the form for them.' },
)
export type ModuleInstanceInputs = Static<typeof ModuleInstanceInputs>

export const ModuleInstanceUpgrade = Type.Object(
  {
    moduleInstanceId: Id,
    fromVersionId: Id,
    fromVersion: Type.String({ description: 'The version that it has.' }),
    toVersionId: Id,
    toVersion: Type.String({ description: 'The version that it would have.' }),
    newInputs: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Id of the input.' }),
          label: Type.Optional(Type.String({ description: 'What to call it.' })),
          type: Type.String({ description: 'What it holds.' }),
          isRequired: Type.Boolean({ description: 'Whether a value must be there.' }),
          value: Type.Unknown({ description: 'What it would be without being given.' }),
        },
        { ...closed, description: 'An input that the version adds.' },
      ),
    ),
    goneInputs: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Id of the input.' }),
          isGiven: Type.Boolean({ description: 'Whether the instance gives it a value, which must be left out then.' }),
        },
        { ...closed, description: 'An input that the version takes away.' },
      ),
    ),
    changedDefaults: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Id of the input.' }),
          from: Type.Unknown({ description: 'What the default comes to now.' }),
          to: Type.Unknown({ description: 'What it would come to.' }),
        },
        { ...closed, description: 'An input that is left to its default, and gets another value by it.' },
      ),
    ),
    faults: Type.Array(InputFault, { description: 'What the move would be refused for, with the input as it is.' }),
  },
  { ...closed, description: 'What would change if an instance moved to another version.' },
)
export type ModuleInstanceUpgrade = Static<typeof ModuleInstanceUpgrade>

export const ApplyModuleInstances = Type.Object(
  {
    ids: Type.Array(Id, { minItems: 1, maxItems: 50, description: 'The instances, in any order.' }),
    autoapprove: Type.Optional(Type.Boolean({ description: 'Whether the runs need nobody to approve them.' })),
  },
  { ...closed, description: 'Instances whose infrastructure is to be changed.' },
)
export type ApplyModuleInstances = Static<typeof ApplyModuleInstances>

import { Type } from 'typebox'
import { IacEnvironmentVariables, Source } from './source.ts'

const closed = { additionalProperties: false } as const

/** Properties that all IaC steps have. */
const work = {
  stack_id: Type.Optional(Type.String({ minLength: 1, description: 'The stack, by its id.' })),
  stack: Type.Optional(
    Type.String({ minLength: 1, description: "The stack, by its givenId in the pipeline's project." }),
  ),
  workspace: Type.Optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
      description:
        'Workspace whose state Sluice stores, created if missing. Default: `default`. null: the configuration has its own backend.',
    }),
  ),
  source: Type.Union([Source, Type.String({ description: 'A template that comes to one.' })], {
    description: 'Where the files come from.',
  }),
  tool: Type.Optional(
    Type.Union([Type.Enum(['iac', 'iac_alt', 'opentofu', 'terraform']), Type.String()], {
      default: 'iac',
      description: '`iac` is OpenTofu where it is installed, else Terraform; `iac_alt` is Terraform.',
    }),
  ),
  tool_version: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Such as 1.11.4 or ~1.11; without it, what is installed.',
    }),
  ),
  variables: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
      description: 'Typed values of input variables; null means not set.',
    }),
  ),
  variable_files: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { description: 'Files with values, relative to the base path.' }),
  ),
  environment_variables: Type.Optional(
    Type.Union([IacEnvironmentVariables, Type.String()], {
      description:
        'Environment variables; null means not set, and `{from_parameter_store}` or `{from_secrets_manager}` names what the cloud account keeps. Or a template that comes to them.',
    }),
  ),
  cloud_account_id: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Its credentials are in the environment of the tool, for this run only.',
    }),
  ),
  cloud_region: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'The region beside them.' })),
}

/** Schemas of `with` for IaC steps, by type. */
export const iacStepConfigs = {
  'iac:plan': Type.Object(
    {
      ...work,
      destroy: Type.Optional(
        Type.Union([Type.Boolean(), Type.String()], { description: 'Whether everything is to go.' }),
      ),
      targets: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description: 'Only these addresses.' })),
    },
    { ...closed, description: 'Plans the changes of a stack and keeps the plan.' },
  ),
  'iac:apply': Type.Object(
    {
      plan: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'Id of the step whose plan is applied; without it, the nearest before.',
        }),
      ),
    },
    { ...closed, description: 'Applies exactly the plan of an earlier step.' },
  ),
  'iac:destroy': Type.Object(work, { ...closed, description: 'Destroys everything that a stack has.' }),
  'iac:drift': Type.Object(work, { ...closed, description: 'Looks for what was changed behind the back of a stack.' }),
} as const

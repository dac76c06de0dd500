import { Type } from 'typebox'
import { IacEnvironmentVariables, Source } from './source.ts'

const closed = { additionalProperties: false } as const

/** Properties that all IaC steps have. */
const work = {
  stack_id: Type.Optional(Type.String({ minLength: 1, description: 'ID of the stack.' })),
  stack: Type.Optional(
    Type.String({
      minLength: 1,
      description: "`givenId` of a stack in the pipeline's project, instead of `stack_id`.",
    }),
  ),
  workspace: Type.Optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
      description:
        'Workspace whose state Sluice stores, created if missing. Default: `default`. null: the configuration has its own backend.',
    }),
  ),
  source: Type.Union([Source, Type.String({ description: 'Template that returns a source.' })], {
    description: 'Source of the files.',
  }),
  tool: Type.Optional(
    Type.Union([Type.Enum(['iac', 'iac_alt', 'opentofu', 'terraform']), Type.String()], {
      default: 'iac',
      description: '`iac` is OpenTofu if it is installed, otherwise Terraform; `iac_alt` is Terraform.',
    }),
  ),
  tool_version: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Version of the tool, such as 1.11.4 or ~1.11. Default: the installed version.',
    }),
  ),
  variables: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
      description: 'Values of input variables. null leaves a variable unset.',
    }),
  ),
  variable_files: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { description: 'Variable files, relative to the base path.' }),
  ),
  environment_variables: Type.Optional(
    Type.Union([IacEnvironmentVariables, Type.String()], {
      description:
        'Environment variables, or a template that returns them. null leaves a variable unset; `{from_parameter_store}` and `{from_secrets_manager}` name a value in the cloud account.',
    }),
  ),
  cloud_account_id: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Cloud account whose temporary credentials the tool gets in its environment.',
    }),
  ),
  cloud_region: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'Region for these credentials.' }),
  ),
}

/** Schemas of `with` for IaC steps, by type. */
export const iacStepConfigs = {
  'iac:plan': Type.Object(
    {
      ...work,
      destroy: Type.Optional(
        Type.Union([Type.Boolean(), Type.String()], {
          description: 'Whether to plan the destruction of all resources.',
        }),
      ),
      targets: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), { description: 'Addresses of the resources to plan. Default: all.' }),
      ),
    },
    { ...closed, description: 'Plans changes to a stack and stores the plan.' },
  ),
  'iac:apply': Type.Object(
    {
      plan: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'ID of the step whose plan is applied. Default: the nearest `iac:plan` step before.',
        }),
      ),
    },
    { ...closed, description: 'Applies exactly the plan of an earlier step.' },
  ),
  'iac:destroy': Type.Object(work, { ...closed, description: 'Destroys all resources of a stack.' }),
  'iac:drift': Type.Object(work, {
    ...closed,
    description: 'Detects changes that were made outside of a stack (drift).',
  }),
} as const

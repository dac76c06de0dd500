import { type Static, Type } from 'typebox'
import { freeFormLike } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

// At most 15 digits per number, so that comparisons are exact.
const number = '(?:0|[1-9][0-9]{0,14})'
const label = '(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)'

/** Semantic version (https://semver.org, SemVer 2.0.0) without a leading `v`. */
export const SemanticVersion = Type.String({
  maxLength: 200,
  pattern: `^${number}\\.${number}\\.${number}(?:-${label}(?:\\.${label})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
  description: 'Semantic version (SemVer 2.0.0) without a leading v.',
  examples: ['1.4.0'],
})

export const OptionSource = Type.Object(
  {
    input: Type.String({
      description: 'Input name as used in templates. `[]` matches each item of a list or map.',
      examples: ['module.input.subnet_ids'],
    }),
    provider: Type.String({
      description: "Provider of the input's options: `GET /values/<provider>`.",
      examples: ['cloud/subnets'],
    }),
    dependsOn: Type.Array(Type.String({ examples: ['module.input.cloud_account_id'] }), {
      description: 'Inputs whose values determine the options, by their names in templates.',
    }),
  },
  { ...closed, description: "Source of an input's options." },
)
export type OptionSource = Static<typeof OptionSource>

export const ModuleVersion = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Type.Optional(Id),
    moduleDefinitionId: Id,
    version: Type.String({ description: 'Semantic version.' }),
    description: Type.String({ description: 'Description of the changes.' }),
    config: freeFormLike({ inputs: [{ id: 'image_ref', type: 'string', required: true }] }),
    optionSources: Type.Optional(
      Type.Array(OptionSource, {
        description: 'Inputs whose options come from a provider. Absent if there are none.',
      }),
    ),
  },
  { ...closed, description: 'Immutable published version of a module definition.' },
)
export type ModuleVersion = Static<typeof ModuleVersion>

const content = {
  version: SemanticVersion,
  description: Type.String({ minLength: 1, maxLength: 10_000, description: 'Description of the changes.' }),
  config: freeFormLike({ inputs: [{ id: 'image_ref', type: 'string', required: true }] }),
}

export const ModuleVersionContent = Type.Object(content, {
  ...closed,
  description: 'First version of the module definition.',
})
export type ModuleVersionContent = Static<typeof ModuleVersionContent>

export const CreateModuleVersion = Type.Object(
  {
    moduleDefinitionId: Id,
    ...content,
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Whether to validate without storing anything. Defaults to false.' }),
    ),
  },
  { ...closed, description: 'Fields of a new module version.' },
)
export type CreateModuleVersion = Static<typeof CreateModuleVersion>

export const ModuleVersionDryRun = Type.Object(
  {
    moduleDefinitionId: Id,
    version: Type.String({ description: 'Semantic version.' }),
    config: freeFormLike({ inputs: [{ id: 'image_ref', type: 'string', required: true }] }),
  },
  { ...closed, description: 'Version that would be published.' },
)
export type ModuleVersionDryRun = Static<typeof ModuleVersionDryRun>

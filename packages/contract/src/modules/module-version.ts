import { type Static, Type } from 'typebox'
import { freeFormLike } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

// Numbers have at most 15 digits, so that comparing them stays exact.
const number = '(?:0|[1-9][0-9]{0,14})'
const label = '(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)'

/** SemVer 2.0.0 (https://semver.org), without a leading `v`. */
export const SemanticVersion = Type.String({
  maxLength: 200,
  pattern: `^${number}\\.${number}\\.${number}(?:-${label}(?:\\.${label})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
  description: 'A version by SemVer 2.0.0, without a leading v.',
  examples: ['1.4.0'],
})

export const OptionSource = Type.Object(
  {
    input: Type.String({
      description: 'The input by its name in templates; `[]` stands for each item of a list or a map.',
      examples: ['module.input.subnet_ids'],
    }),
    provider: Type.String({
      description: 'The provider of its options: `GET /values/<provider>`.',
      examples: ['cloud/subnets'],
    }),
    dependsOn: Type.Array(Type.String({ examples: ['module.input.cloud_account_id'] }), {
      description: 'The inputs whose values decide which options the provider offers, by their names in templates.',
    }),
  },
  { ...closed, description: 'Where the options of an input come from.' },
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
    description: Type.String({ description: 'What changed.' }),
    config: freeFormLike({ inputs: [{ id: 'image_ref', type: 'string', required: true }] }),
    optionSources: Type.Optional(
      Type.Array(OptionSource, {
        description: 'The inputs whose options a provider offers, as the config declares it; absent if there is none.',
      }),
    ),
  },
  { ...closed, description: 'A published version of a module definition. It never changes.' },
)
export type ModuleVersion = Static<typeof ModuleVersion>

const content = {
  version: SemanticVersion,
  description: Type.String({ minLength: 1, maxLength: 10_000, description: 'What changed.' }),
  config: freeFormLike({ inputs: [{ id: 'image_ref', type: 'string', required: true }] }),
}

export const ModuleVersionContent = Type.Object(content, { ...closed, description: 'The version to begin with.' })
export type ModuleVersionContent = Static<typeof ModuleVersionContent>

export const CreateModuleVersion = Type.Object(
  {
    moduleDefinitionId: Id,
    ...content,
    dryRun: Type.Optional(Type.Boolean({ description: 'Only check, store nothing.' })),
  },
  { ...closed, description: 'A version to publish.' },
)
export type CreateModuleVersion = Static<typeof CreateModuleVersion>

export const ModuleVersionDryRun = Type.Object(
  {
    moduleDefinitionId: Id,
    version: Type.String({ description: 'Semantic version.' }),
    config: freeFormLike({ inputs: [{ id: 'image_ref', type: 'string', required: true }] }),
  },
  { ...closed, description: 'What would be published.' },
)
export type ModuleVersionDryRun = Static<typeof ModuleVersionDryRun>

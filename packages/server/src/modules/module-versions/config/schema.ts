import { Concurrency, type DeploymentType, deployBlocks, deploymentTypes } from '@sluice/contract'
import { type Static, type TSchema, Type } from 'typebox'
import { buildParts, buildTypes, stackBlock, uiBlock } from './blocks.ts'
import { orTemplate, templated } from './templated.ts'

/** Types of inputs. `section` and `divider` are headings of the form and have no value. */
export const inputTypes = [
  'string',
  'text',
  'number',
  'boolean',
  'string_array',
  'array',
  'object',
  'json',
  'keyvalue',
  'object_array',
  'object_map',
  'compound',
  'gitrepo',
  'section',
  'divider',
] as const

/** Prefix of reference types: `$ref:network` names a module instance of the definition type `network`. */
export const referencePrefix = '$ref:'

/** Prefix of option providers, as in `$values:cloud/regions`. */
export const providerPrefix = '$values:'

const closed = { additionalProperties: false } as const
const text = Type.Optional(Type.String())

const InputType = Type.Union(
  [Type.Enum(inputTypes), Type.Unsafe<`$ref:${string}`>(Type.String({ pattern: '^\\$ref:' }))],
  { title: `one of ${inputTypes.join(', ')}, or ${referencePrefix}<definition type>` },
)

/** Condition on another input: equal to a value, one of several, not a value, or none of several. */
export const Condition = Type.Union(
  [
    Type.Boolean(),
    Type.String(),
    Type.Array(Type.String()),
    Type.Object(
      { not: Type.Union([Type.String(), Type.Number(), Type.Array(Type.Union([Type.String(), Type.Number()]))]) },
      closed,
    ),
  ],
  { title: 'true, false, a text, a list of texts or {"not": …}' },
)
export type Condition = Static<typeof Condition>

/** Conditions by input id, all of which must hold. */
export const ShowWhen = Type.Record(Type.String(), Condition)
export type ShowWhen = Static<typeof ShowWhen>

/** Option of an input. An option of a `compound` also carries fields. */
export const InputOption = Type.Object(
  {
    value: Type.Union([Type.String(), Type.Number()], { title: 'a text or a number' }),
    label: Type.String(),
    description: text,
    show_when: Type.Optional(ShowWhen),
  },
  { additionalProperties: Type.Unknown() },
)
export type InputOption = Static<typeof InputOption>

export const InputPattern = Type.Object({ pattern: Type.String(), message: Type.String() }, closed)
export type InputPattern = Static<typeof InputPattern>

const Input = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z][a-z0-9_]*$', description: 'Name of the value; unique in its scope.' }),
    type: InputType,
    label: Type.Optional(Type.String({ minLength: 1 })),
    description: text,
    placeholder: text,
    required: Type.Optional(
      Type.Boolean({ description: 'Whether a value is required. Default: false. Not allowed for booleans.' }),
    ),
    default: Type.Optional(Type.Unknown({ description: 'Default value. Texts in it can be templates.' })),
    values: Type.Optional(
      Type.Union(
        [
          Type.Array(InputOption, { maxItems: 1000 }),
          Type.Unsafe<`$values:${string}`>(Type.String({ pattern: '^\\$values:' })),
        ],
        {
          title: `a list of options, or ${providerPrefix}<provider>`,
        },
      ),
    ),
    patterns: Type.Optional(
      Type.Array(InputPattern, {
        maxItems: 100,
        description: 'Patterns that the text, each element and each key must match.',
      }),
    ),
    min: Type.Optional(Type.Number()),
    max: Type.Optional(Type.Number()),
    show_when: Type.Optional(ShowWhen),
    immutable: Type.Optional(Type.Boolean({ description: 'Whether the value can only be set once.' })),
    moved_from: Type.Optional(
      Type.Array(Type.String(), {
        description: 'IDs of inputs of earlier versions whose value this input takes over.',
      }),
    ),
    mapped_inputs: Type.Optional(
      Type.Array(Type.Ref('Input'), {
        description: 'For references: inputs that are filled from the referenced instance.',
      }),
    ),
    item_inputs: Type.Optional(Type.Array(Type.Ref('Input'), { description: 'Fields of an item.' })),
    key: Type.Optional(
      Type.Object({ label: text, placeholder: text, patterns: Type.Optional(Type.Array(InputPattern)) }, closed),
    ),
    fields: Type.Optional(
      Type.Array(Type.String(), { description: 'For compounds: values that the chosen option provides.' }),
    ),
    collapsible: Type.Optional(Type.Boolean()),
    add_button_label: text,
    item_label: text,
    item_title: Type.Optional(Type.Object({ template: Type.String(), fallback: text }, closed)),
    item_description: Type.Optional(Type.Unknown()),
    no_options_message: text,
  },
  closed,
)

/** Input of a module, build or deployment. Null members count as absent. */
export const InputDefinition = Type.Cyclic({ Input }, 'Input')
export type InputDefinition = Static<typeof InputDefinition>

const inputs = Type.Array(InputDefinition)

const mapped = (parts: Record<string, TSchema>, change: (part: TSchema) => TSchema) =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]))

const Build = Type.Object(
  {
    type: orTemplate(Type.Enum([...buildTypes])),
    inputs: Type.Optional(inputs),
    ...mapped(buildParts, (part) => Type.Optional(orTemplate(part))),
  },
  closed,
)

const deployInputs = { inputs: Type.Optional(inputs), concurrency: Type.Optional(Concurrency) }

/** Type, inputs and concurrency are read before rendering; other parts may be templates. */
const deployOf = (type: DeploymentType): TSchema => {
  const { type: _, ...parts } = deployBlocks[type].schema.properties
  return Type.Object({ type: Type.Enum([type]), ...deployInputs, ...mapped(parts, orTemplate) }, closed)
}

/** Schema for a deploy block of an unknown type. */
const deployOfNoType = Type.Object({
  type: Type.Enum(deploymentTypes, { description: 'Deployment type.' }),
  ...deployInputs,
})

const configWith = ({ build, deploy }: { build: TSchema; deploy: TSchema }): TSchema =>
  Type.Object(
    {
      inputs,
      stack: Type.Optional(templated(stackBlock)),
      build: Type.Optional(build),
      deploy: Type.Optional(deploy),
      ui: Type.Optional(templated(uiBlock)),
      readme: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  )

/** Config of a module version, without null members. */
export const Config = configWith({ build: Build, deploy: Type.Union(deploymentTypes.map(deployOf)) })

/**
 * Returns the schema for the types of these deploy and build blocks, so that errors refer to the intended type. `key`
 * identifies the schema.
 */
export function configLike(deployType: unknown, buildType: unknown): { schema: () => TSchema; key: string } {
  const known = deploymentTypes.find((type) => type === deployType)
  const isSwitchedOff = buildType === 'disabled'
  return {
    key: `${known} ${isSwitchedOff}`,
    // A disabled build is neither rendered nor validated.
    schema: () =>
      configWith({ build: isSwitchedOff ? Type.Object({}) : Build, deploy: known ? deployOf(known) : deployOfNoType }),
  }
}

import { type Static, Type } from 'typebox'
import { Description } from '../modules/naming.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const Key = Type.String({
  pattern: '^[A-Za-z_][A-Za-z0-9_]{0,99}$',
  description: 'The name that templates use: a letter or underscore, then up to 99 letters, digits and underscores.',
  examples: ['iac_version'],
})

const ValueSchema = Type.Unsafe<FreeFormObject>({
  ...FreeFormObject,
  description: 'The JSON Schema (2020-12) that values must match; up to 64 KiB.',
})

export const DefaultValueDefinition = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    key: Key,
    description: Type.Optional(Description),
    schema: ValueSchema,
    isSensitive: Type.Boolean({ description: 'Whether values are encrypted and never shown.' }),
  },
  { ...closed, description: 'A key that may have default values.' },
)
export type DefaultValueDefinition = Static<typeof DefaultValueDefinition>

const given = { key: Key, description: Type.Optional(Description), schema: ValueSchema }

export const CreateDefaultValueDefinition = Type.Object(
  {
    ...given,
    isSensitive: Type.Optional(
      Type.Boolean({ description: 'Whether values are encrypted and never shown; it stays so. Default false.' }),
    ),
  },
  { ...closed, description: 'A new key.' },
)
export type CreateDefaultValueDefinition = Static<typeof CreateDefaultValueDefinition>

/** Whether values are sensitive is decided once: what was shown cannot be hidden, and what is hidden must stay so. */
export const UpdateDefaultValueDefinition = Type.Partial(Type.Object(given), {
  ...closed,
  description: 'Changes to a key; what is left out stays.',
})
export type UpdateDefaultValueDefinition = Static<typeof UpdateDefaultValueDefinition>

export const defaultValueParentTypes = ['organization', 'project', 'environment'] as const
export const DefaultValueParentType = Type.Enum(defaultValueParentTypes, { description: 'The level of the value.' })
export type DefaultValueParentType = Static<typeof DefaultValueParentType>

const ParentId = Type.String({ minLength: 1, maxLength: 100, description: 'The organization, project or environment.' })
const Value = Type.Unknown({ description: 'Any JSON value that matches the schema of the definition.' })

export const DefaultValue = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    defaultValueDefinitionId: Id,
    parentType: DefaultValueParentType,
    parentId: ParentId,
    value: Type.Unknown({ description: 'The value; null where the definition is sensitive.' }),
  },
  { ...closed, description: 'The value of a key at one level; the level nearest to a module instance wins.' },
)
export type DefaultValue = Static<typeof DefaultValue>

export const CreateDefaultValue = Type.Object(
  { defaultValueDefinitionId: Id, parentType: DefaultValueParentType, parentId: ParentId, value: Value },
  { ...closed, description: 'A new default value.' },
)
export type CreateDefaultValue = Static<typeof CreateDefaultValue>

export const UpdateDefaultValue = Type.Object(
  { value: Type.Optional(Value) },
  { ...closed, description: 'The new value; without one nothing changes.' },
)
export type UpdateDefaultValue = Static<typeof UpdateDefaultValue>

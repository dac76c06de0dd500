import { type Static, Type } from 'typebox'
import { Description } from '../modules/naming.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const Key = Type.String({
  pattern: '^[A-Za-z_][A-Za-z0-9_]{0,99}$',
  description: 'Name in templates: a letter or underscore, then up to 99 letters, digits and underscores.',
  examples: ['iac_version'],
})

const ValueSchema = Type.Unsafe<FreeFormObject>({
  ...FreeFormObject,
  description: 'JSON Schema (2020-12) of the values, up to 64 KiB.',
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
    isSensitive: Type.Boolean({ description: 'Whether values are encrypted and never returned.' }),
  },
  { ...closed, description: 'Key that can have default values.' },
)
export type DefaultValueDefinition = Static<typeof DefaultValueDefinition>

const given = { key: Key, description: Type.Optional(Description), schema: ValueSchema }

export const CreateDefaultValueDefinition = Type.Object(
  {
    ...given,
    isSensitive: Type.Optional(
      Type.Boolean({
        description: 'Whether values are encrypted and never returned. Cannot be changed later. Defaults to false.',
      }),
    ),
  },
  { ...closed, description: 'Fields of a new key.' },
)
export type CreateDefaultValueDefinition = Static<typeof CreateDefaultValueDefinition>

/**
 * `isSensitive` cannot be changed: values that were returned cannot be hidden again, and hidden values must stay
 * hidden.
 */
export const UpdateDefaultValueDefinition = Type.Partial(Type.Object(given), {
  ...closed,
  description: 'Fields of a key to change. Absent fields stay unchanged.',
})
export type UpdateDefaultValueDefinition = Static<typeof UpdateDefaultValueDefinition>

export const defaultValueParentTypes = ['organization', 'project', 'environment'] as const
export const DefaultValueParentType = Type.Enum(defaultValueParentTypes, { description: 'Level of the value.' })
export type DefaultValueParentType = Static<typeof DefaultValueParentType>

const ParentId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'ID of the organization, project or environment.',
})
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
    value: Type.Unknown({ description: 'Value; null if the definition is sensitive.' }),
  },
  { ...closed, description: 'Value of a key at one level. The level nearest to a module instance takes precedence.' },
)
export type DefaultValue = Static<typeof DefaultValue>

export const CreateDefaultValue = Type.Object(
  { defaultValueDefinitionId: Id, parentType: DefaultValueParentType, parentId: ParentId, value: Value },
  { ...closed, description: 'Fields of a new default value.' },
)
export type CreateDefaultValue = Static<typeof CreateDefaultValue>

export const UpdateDefaultValue = Type.Object(
  { value: Type.Optional(Value) },
  { ...closed, description: 'New value. If absent, nothing changes.' },
)
export type UpdateDefaultValue = Static<typeof UpdateDefaultValue>

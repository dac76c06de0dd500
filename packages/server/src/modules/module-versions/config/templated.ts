import { type TSchema, Type } from 'typebox'

/** JSON Schema as far as blocks are made of it. */
interface Schema {
  type?: string
  pattern?: string
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
}

/** A text that is one template, maybe one that is spread; what it yields is checked when it is rendered. */
export const templatePattern = '^\\s*(\\.\\.\\.\\s*)?<<[\\s\\S]*>>\\s*$'
const template: Schema = { type: 'string', pattern: templatePattern }

/** Keys such as `...overrides` hold an object, or a template that yields one. */
const spreads = { '^\\.\\.\\.': { anyOf: [{ type: 'object' }, template] } }

/** The schema of what is written where `schema` describes what is rendered: each part inside may be a template. */
export const templated = (schema: TSchema): TSchema => Type.Unsafe(inside(schema as Schema))

/** The same, and the whole may be a template as well. */
export const orTemplate = (schema: TSchema): TSchema => Type.Unsafe(maybeTemplate(schema as Schema))

function maybeTemplate(schema: Schema): Schema {
  if (Object.keys(schema).every((key) => key === 'description')) return schema
  if (schema.type === 'string' && !schema.enum) return schema
  const branches = schema.anyOf?.map(inside) ?? [inside(schema)]
  // Where any text will do, so will a template.
  return branches.some(({ type, enum: values }) => type === 'string' && !values)
    ? { anyOf: branches }
    : { anyOf: [...branches, template] }
}

function inside(schema: Schema): Schema {
  const { properties, patternProperties, additionalProperties, items } = schema
  const each = (schemas: Record<string, Schema>) =>
    Object.fromEntries(Object.entries(schemas).map(([name, part]) => [name, maybeTemplate(part)]))
  return {
    ...schema,
    ...(properties && { properties: each(properties) }),
    ...(schema.type === 'object' && {
      patternProperties: { ...(patternProperties && each(patternProperties)), ...spreads },
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: maybeTemplate(additionalProperties) }),
    ...(items && { items: maybeTemplate(items) }),
  }
}

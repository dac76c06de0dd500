import { type TSchema, Type } from 'typebox'

/** JSON Schema as far as blocks are made of it. */
interface Schema {
  type?: string
  description?: string
  default?: unknown
  pattern?: string
  maxLength?: number
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}

/** A text that is one template, maybe one that is spread; what it yields is checked when it is rendered. */
export const templatePattern = '^\\s*(\\.\\.\\.\\s*)?<<[\\s\\S]*>>\\s*$'
const template: Schema = { type: 'string', pattern: templatePattern }
/** A text with a template in it. */
const textWithTemplate: Schema = { type: 'string', pattern: '<<' }

/** Keys such as `...overrides` hold an object, or a template that yields one. */
const spreads = { '^\\.\\.\\.': { anyOf: [{ type: 'object' }, template] } }

/** What must be there, unless a spread may bring it. */
const requiredUnlessSpread = (required: string[]) => ({
  if: { not: { propertyNames: { not: { pattern: '^\\.\\.\\.' } } } },
  else: { required },
})

/** The schema of what is written where `schema` describes what is rendered: each part inside may be a template. */
export const templated = (schema: TSchema): TSchema => Type.Unsafe(inside(schema as Schema))

/** The same, and the whole may be a template as well. What may be left out may still be. */
export function orTemplate(schema: TSchema): TSchema {
  const whole = Type.Unsafe(maybeTemplate(schema as Schema))
  return '~optional' in schema ? Type.Optional(whole) : whole
}

const isFixed = (schema: Schema): boolean => schema.enum !== undefined || schema.const !== undefined
const isText = (schema: Schema): boolean => schema.type === 'string' && !isFixed(schema)
/** Whether any text will do: then so will a template. */
const isAnyText = (schema: Schema): boolean =>
  isText(schema) && schema.pattern === undefined && schema.maxLength === undefined

function maybeTemplate(schema: Schema): Schema {
  const { description, default: otherwise, ...rest } = schema
  if (Object.keys(rest).length === 0 || isAnyText(schema)) return schema
  const branches = rest.anyOf?.map(inside) ?? [inside(rest)]
  const open = branches.some(isAnyText) ? [] : [branches.some(isText) ? textWithTemplate : template]
  const said = {
    ...(description !== undefined && { description }),
    ...(otherwise !== undefined && { default: otherwise }),
  }
  return { ...said, anyOf: [...branches, ...open] }
}

function inside({ required = [], ...schema }: Schema): Schema {
  const { properties, patternProperties, additionalProperties, items } = schema
  const each = (schemas: Record<string, Schema>) =>
    Object.fromEntries(Object.entries(schemas).map(([name, part]) => [name, maybeTemplate(part)]))
  return {
    ...schema,
    ...(required.length > 0 && requiredUnlessSpread(required)),
    ...(properties && { properties: each(properties) }),
    ...(schema.type === 'object' && {
      patternProperties: { ...(patternProperties && each(patternProperties)), ...spreads },
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: maybeTemplate(additionalProperties) }),
    ...(items && { items: maybeTemplate(items) }),
  }
}

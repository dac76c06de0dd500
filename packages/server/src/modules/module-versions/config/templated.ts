import { type TSchema, Type } from 'typebox'

/** Subset of JSON Schema used for blocks. */
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

/** Matches text that is a single template, optionally spread. Its value is validated after rendering. */
export const templatePattern = '^\\s*(\\.\\.\\.\\s*)?<<[\\s\\S]*>>\\s*$'
const template: Schema = { type: 'string', pattern: templatePattern }
/** Text that contains a template. */
const textWithTemplate: Schema = { type: 'string', pattern: '<<' }

/** Keys such as `...overrides` hold an object, or a template for one. */
const spreads = { '^\\.\\.\\.': { anyOf: [{ type: 'object' }, template] } }

/** Requires members unless a spread is present. */
const requiredUnlessSpread = (required: string[]) => ({
  if: { not: { propertyNames: { not: { pattern: '^\\.\\.\\.' } } } },
  else: { required },
})

/** Converts the schema of a rendered value to that of its source, in which every part may be a template. */
export const templated = (schema: TSchema): TSchema => Type.Unsafe(inside(schema as Schema))

/** Like `templated`, but the whole value may also be a template. */
export function orTemplate(schema: TSchema): TSchema {
  const whole = Type.Unsafe(maybeTemplate(schema as Schema))
  return '~optional' in schema ? Type.Optional(whole) : whole
}

const isFixed = (schema: Schema): boolean => schema.enum !== undefined || schema.const !== undefined
const isText = (schema: Schema): boolean => schema.type === 'string' && !isFixed(schema)
/** Reports whether a schema accepts any text, and so also templates. */
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

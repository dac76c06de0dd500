import type { TSchema } from 'typebox'

/** Part of JSON Schema that the contract's schemas use. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  description?: string
  examples?: unknown[]
  default?: unknown
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  patternProperties?: Record<string, JsonSchema>
  additionalProperties?: boolean | JsonSchema
  required?: string[]
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
}

export const asJson = (schema: TSchema): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema

/** Applies `change` to each direct subschema of a schema. */
export function mapInside(schema: JsonSchema, change: (inside: JsonSchema) => JsonSchema): JsonSchema {
  const { properties, patternProperties, additionalProperties, items, anyOf } = schema
  const mapped = (record: Record<string, JsonSchema>) =>
    Object.fromEntries(Object.entries(record).map(([name, inside]) => [name, change(inside)]))
  return {
    ...schema,
    ...(properties && { properties: mapped(properties) }),
    ...(patternProperties && { patternProperties: mapped(patternProperties) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
    ...(items && { items: change(items) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
  }
}

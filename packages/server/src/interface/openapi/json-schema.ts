import type { TSchema } from 'typebox'

/** What the contract's schemas say as JSON: the part of JSON Schema that they use. */
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

/** The schema with `change` made to each schema right inside it. */
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

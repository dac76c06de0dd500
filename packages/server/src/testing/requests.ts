import type { Route } from '@sluice/contract'
import { exampleOf } from '../interface/openapi/examples.ts'
import { asJson, type JsonSchema } from '../interface/openapi/json-schema.ts'
import { iacAddress, type OneOfEverything, referredBy } from './resources.ts'

/** Fields with ids of other systems, slugs, or values that only some types accept; other tests cover them. */
const foreign = [
  'givenId',
  'clientId',
  'githostaInstallationId',
  'githostbConnectionId',
  'hookId',
  'actorId',
  'resourceId',
]

export const nothing: JsonSchema = {}

/** Returns the names of fields that refer to records, including those in `data`. */
export function referencesOf({ properties = {} }: JsonSchema): string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    if (name === 'data') return referencesOf(property)
    return /Ids?$/.test(name) && !foreign.includes(name) ? [name] : []
  })
}

export const missing = (what: string) =>
  `testing/resources.ts makes no record for \`${what}\`; add one, and its path, to createOneOfEverything`

/** Returns the path with its parameters and required query parameters filled in from existing records. */
export function target(route: Route, everything: OneOfEverything): string {
  const path = route.path.replaceAll(/([\w-]+)\/\{(\w+)\}/g, (_, resource: string, name: string) => {
    const value = name === 'address' ? iacAddress : everything.byPath[resource]
    if (value === undefined) throw new Error(missing(`${resource}/{${name}}`))
    return `${resource}/${encodeURIComponent(value)}`
  })
  const { properties = {}, required = [] } = asJson(route.query ?? nothing)
  const query = required
    .filter((name) => properties[name]?.default === undefined)
    .map(
      (name) =>
        `${name}=${encodeURIComponent(referredBy(everything, name) ?? String(exampleOf(properties[name] ?? {}, name)))}`,
    )
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

/** Returns the value of a field for a record id; some fields hold lists. */
export const naming = (field: string, id: string | undefined) => (field.endsWith('Ids') ? [id] : id)

/** Returns a valid body for an operation, with references to the records in `everything`. */
export function bodyFor({ body }: Route, everything: OneOfEverything): { data: Record<string, unknown> } {
  if (!body) return undefined as never
  const schema = asJson(body)
  // Also fills an optional `data`.
  const data = schema.properties?.data ? exampleOf(schema.properties.data) : {}
  const example = { data, ...(exampleOf(schema) as object) } as { data: Record<string, unknown> }
  for (const field of referencesOf(schema)) {
    if (field in example.data) example.data[field] = naming(field, referredBy(everything, field))
  }
  return example
}

import * as contract from '@sluice/contract'
import { asJson, type JsonSchema, mapInside } from './json-schema.ts'

/** The schemas that a document refers to by name: those that the contract exports. */
export class Components {
  readonly #names = new Map<string, string>()
  readonly #schemas = new Map<string, JsonSchema>()

  constructor() {
    for (const [name, value] of Object.entries(contract)) {
      if (typeof value !== 'object' || !('~kind' in value)) continue
      const schema = asJson(value)
      if (isWorthAName(schema)) this.#names.set(JSON.stringify(schema), name)
    }
  }

  /** The schema with references in place of what has a name. */
  refer(schema: JsonSchema): JsonSchema {
    const name = this.#names.get(JSON.stringify(schema))
    if (name === undefined) return mapInside(schema, (inside) => this.refer(inside))
    if (!this.#schemas.has(name)) {
      this.#schemas.set(name, {}) // before its inside, which may lead here again
      this.#schemas.set(
        name,
        mapInside(schema, (inside) => this.refer(inside)),
      )
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** Those that were referred to. */
  get schemas(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => a.localeCompare(b)))
  }
}

/** A short text or number is clearer where it stands. */
const isWorthAName = ({ type, enum: values, anyOf, pattern }: JsonSchema): boolean =>
  type === 'object' || values !== undefined || anyOf !== undefined || pattern !== undefined

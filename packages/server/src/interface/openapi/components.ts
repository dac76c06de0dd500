import * as contract from '@sluice/contract'
import { asJson, type JsonSchema, mapInside } from './json-schema.ts'

/** Schemas that a document refers to by name: those that the contract exports. */
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

  /** Returns a schema with references to named schemas. */
  refer(schema: JsonSchema): JsonSchema {
    const name = this.#names.get(JSON.stringify(schema))
    if (name === undefined) return mapInside(schema, (inside) => this.refer(inside))
    if (!this.#schemas.has(name)) {
      this.#schemas.set(name, {}) // before its content, which may be recursive
      this.#schemas.set(
        name,
        mapInside(schema, (inside) => this.refer(inside)),
      )
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** Returns the referenced schemas. */
  get schemas(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => a.localeCompare(b)))
  }
}

/** Reports whether a schema is worth a name; short texts and numbers are clearer inline. */
const isWorthAName = ({ type, enum: values, anyOf, pattern }: JsonSchema): boolean =>
  type === 'object' || values !== undefined || anyOf !== undefined || pattern !== undefined

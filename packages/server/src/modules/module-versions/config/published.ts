import { Config } from './schema.ts'

type Json = Record<string, unknown>

/** Returns the JSON Schema of a module version's config, for editors and generators. */
export function moduleSchema(): Json {
  const { $defs, ...schema } = published(JSON.parse(JSON.stringify(Config)) as Json) as { $defs?: Json } & Json
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: '/schemas/module.json',
    title: 'Module',
    description: 'Configuration of a module version. Values without a fixed set of choices may be templates: << … >>.',
    ...schema,
    $defs,
  }
}

/** Moves nested definitions to the root and allows null for optional members. */
function published(schema: Json): Json {
  const definitions: Json = {}
  return { ...(visit(schema) as Json), $defs: definitions }

  function visit(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(visit)
    if (typeof node !== 'object' || node === null) return node
    const { $defs = {}, $ref, ...rest } = node as { $defs?: Json; $ref?: string } & Json
    for (const [name, definition] of Object.entries($defs)) define(name, definition as Json)
    const visited = Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, visit(member)]))
    return withAbsence({ ...visited, ...($ref !== undefined && { $ref: `#/$defs/${$ref}` }) })
  }

  function define(name: string, { $id: _, ...definition }: Json): void {
    if (Object.hasOwn(definitions, name)) return
    definitions[name] = {}
    definitions[name] = visit(definition)
  }
}

/** Allows null for optional members. */
function withAbsence(schema: Json): Json {
  const {
    properties,
    type,
    else: unlessSpread,
    ...rest
  } = schema as {
    properties?: Record<string, Json>
    required?: string[]
    type?: unknown
    /** Members that are required unless a spread is present. */
    else?: { required?: string[] }
  }
  const required = rest.required ?? unlessSpread?.required ?? []
  if (type !== 'object' || properties === undefined) return schema
  const orNull = ([name, member]: [string, Json]) => [name, required.includes(name) ? member : nullable(member)]
  return { ...schema, properties: Object.fromEntries(Object.entries(properties).map(orNull)) }
}

const isAnything = (schema: Json): boolean =>
  Object.keys(schema).every((key) => key === 'description' || key === 'default')

function nullable(schema: Json): Json {
  if (isAnything(schema)) return schema
  const { description, default: otherwise, anyOf, ...rest } = schema
  const branches = Array.isArray(anyOf) ? anyOf : [rest]
  const said = {
    ...(description !== undefined && { description }),
    ...(otherwise !== undefined && { default: otherwise }),
  }
  return { ...said, anyOf: [...branches, { type: 'null' }] }
}

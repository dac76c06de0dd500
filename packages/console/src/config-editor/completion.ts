import { isMap, isNode, isScalar, isSeq, type Node, type Pair, parseDocument, visit } from 'yaml'
import { yamlOptions } from './yaml-options.ts'

/** Subset of JSON Schema that the published schemas use. */
export type Schema = {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  description?: string
  $ref?: string
  $defs?: Record<string, Schema>
}

export type Option = { label: string; apply: string; detail?: string; info?: string; isRequired?: boolean }
export type Completion = { from: number; options: Option[] }

/** Placeholder that marks the position of the completion in the parsed text. */
const placeholder = 'completed_here'

/** Returns what can be inserted at a position of a configuration, based on its schema and its steps. */
export function completionsAt(schema: Schema, text: string, offset: number): Completion | undefined {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  const [word] = /[\w:/-]*$/.exec(line) ?? ['']
  const before = line.slice(0, line.length - word.length)
  const from = offset - word.length
  const isItem = /^\s*(?:-\s+)*$/.test(before) || /[{,]\s*$/.test(before)
  // After a dash or bracket, a word can be a key or an item. After a colon, it is a value.
  const keys = isItem ? keysAt(schema, text, from, offset) : []
  const options = keys.length > 0 ? keys : valuesAt(schema, text, from, offset)
  return options.length > 0 ? { from, options } : undefined
}

function keysAt(schema: Schema, text: string, from: number, to: number): Option[] {
  const found = findPlaceholder(`${text.slice(0, from)}${placeholder}: 0${text.slice(to)}`)
  if (!found || !isMap(found.holder)) return []
  const own = schemaAt(schema, found.path, found.root)
  const taken = new Set(found.holder.items.map(({ key }) => (isScalar(key) ? String(key.value) : '')))
  return own
    .flatMap(({ properties = {}, required = [] }) =>
      Object.entries(properties)
        .filter(([name]) => !taken.has(name))
        .map(([name, property]) => keyOption(name, property, required.includes(name))),
    )
    .filter(isFirst)
}

function valuesAt(schema: Schema, text: string, from: number, to: number): Option[] {
  const found = findPlaceholder(`${text.slice(0, from)}${placeholder}${text.slice(to)}`)
  if (!found) return []
  const last = found.path.at(-2)
  if (last === 'needs' && typeof found.path.at(-1) === 'number') return stepIds(found.root, found.path)
  return schemaAt(schema, found.path, found.root).flatMap(valueOptions).filter(isFirst)
}

type Found = { root: unknown; holder: unknown; path: (string | number)[] }

/** Finds the placeholder: its path, and the mapping or list that holds it. */
function findPlaceholder(text: string): Found | undefined {
  const document = parseDocument(text, yamlOptions)
  let found: Found | undefined
  visit(document, {
    Scalar(key, node, ancestors) {
      if (String(node.value) !== placeholder) return undefined
      const isKey = key === 'key'
      const holders = ancestors.filter((one): one is Node | Pair => isNode(one) || 'key' in (one as object))
      const path = holders.flatMap((holder, depth): (string | number)[] => {
        const next = holders[depth + 1] ?? node
        if (isSeq(holder)) return [holder.items.indexOf(next)]
        const isPair = !isNode(holder)
        return isPair && isScalar(holder.key) && !(isKey && next === node) ? [String(holder.key.value)] : []
      })
      const holder = holders.findLast((one) => isMap(one) || isSeq(one))
      found = { root: document.toJS(), holder, path }
      return visit.BREAK
    },
  })
  return found
}

type Definitions = Readonly<Record<string, Schema>>

/** Returns the schemas for a path. Of several alternatives, those that still match the text. */
function schemaAt(schema: Schema, path: (string | number)[], root: unknown): Schema[] {
  const defs = schema.$defs ?? {}
  let schemas = matchingSchemas(schema, root, defs)
  let value = root
  for (const step of path) {
    value = typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[step] : undefined
    const own = value
    schemas = schemas.flatMap(({ properties, items }) => {
      const next = typeof step === 'number' ? items : properties?.[step]
      return next ? matchingSchemas(next, own, defs) : []
    })
  }
  return schemas
}

function matchingSchemas({ anyOf, ...schema }: Schema, value: unknown, defs: Definitions): Schema[] {
  const named = schema.$ref === undefined ? undefined : defs[schema.$ref.replace('#/$defs/', '')]
  if (named) return matchingSchemas(named, value, defs)
  if (!anyOf) return [schema]
  const given = (value ?? {}) as Record<string, unknown>
  const isPossible = ({ properties = {} }: Schema) =>
    Object.entries(properties).every(
      ([name, property]) =>
        property.const === undefined || [undefined, null, placeholder, property.const].includes(given[name] as string),
    )
  const possible = anyOf.filter(isPossible)
  return (possible.length > 0 ? possible : anyOf).flatMap((one) => matchingSchemas(one, value, defs))
}

function keyOption(name: string, property: Schema, isRequired: boolean): Option {
  const detail = detailOf(property)
  return {
    label: name,
    apply: `${name}: `,
    ...(detail !== undefined && { detail }),
    ...(property.description !== undefined && { info: property.description }),
    ...(isRequired && { isRequired }),
  }
}

const detailOf = ({ type, enum: values, const: only }: Schema): string | undefined =>
  only !== undefined ? String(only) : values ? values.join(' | ') : type

function valueOptions({ const: only, enum: values, type, description, default: preset }: Schema): Option[] {
  const all =
    only !== undefined
      ? [only]
      : (values ?? (type === 'boolean' ? [true, false] : preset === undefined ? [] : [preset]))
  return all.map((value) => ({
    label: String(value),
    apply: String(value),
    ...(value === preset && { detail: 'default' }),
    ...(description !== undefined && { info: description }),
  }))
}

/** Returns the IDs of all other steps. */
function stepIds(root: unknown, [, index]: (string | number)[]): Option[] {
  const { steps = [] } = root as { steps?: { id?: unknown; name?: unknown }[] }
  return steps.flatMap((step, at) =>
    at !== index && typeof step?.id === 'string' ? [{ label: step.id, apply: step.id, detail: 'step' }] : [],
  )
}

/** Several alternatives can have the same key. */
const isFirst = (option: Option, index: number, all: Option[]): boolean =>
  all.findIndex(({ label }) => label === option.label) === index

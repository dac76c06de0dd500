import { documentBounds, endOfString, expectBounds } from '@sluice/contract/bounded-json'
import { parseExactJson } from '@sluice/contract/exact-json'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'

const Instance = Type.Object({
  index_key: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  status: Type.Optional(Type.String()),
  deposed: Type.Optional(Type.String()),
  attributes: Type.Optional(Type.Unknown()),
})

/** Properties of a state file, version 4, that are read. Terraform and OpenTofu use the same format. */
const StateFile = Type.Object({
  version: Type.Literal(4),
  lineage: Type.String(),
  serial: Type.Integer({ minimum: 0 }),
  outputs: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({ value: Type.Optional(Type.Unknown()), sensitive: Type.Optional(Type.Boolean()) }),
    ),
  ),
  resources: Type.Optional(
    Type.Array(
      Type.Object({
        module: Type.Optional(Type.String()),
        mode: Type.String(),
        type: Type.String(),
        name: Type.String(),
        instances: Type.Optional(Type.Array(Instance)),
      }),
    ),
  ),
})
const stateFile = Compile(StateFile)

/** Resource in a state. */
export type ResourceInState = { address: string; isTainted: boolean; attributes: unknown }

/** Output of a configuration after its last apply. */
export type Output = { value: unknown; isSensitive: boolean }

/** Parsed state of a workspace. */
export type State = {
  /** Identifier that stays the same from the first state of a workspace to its last. */
  lineage: string
  /** Number that grows with every change. */
  serial: number
  resources: ResourceInState[]
  outputs: Record<string, Output>
}

/** Parses a state as the tool writes it; undefined for anything else. */
export function readState(bytes: Buffer): State | undefined {
  const file = parsed(bytes)
  if (!stateFile.Check(file)) return undefined
  const { lineage, serial, resources = [], outputs = {} } = file
  return {
    lineage,
    serial,
    resources: resources.flatMap(({ module, mode, type, name, instances = [] }) =>
      instances.map(({ index_key, status, deposed, attributes }) => ({
        address: addressOf({ module, mode, type, name, index: index_key, deposed }),
        isTainted: status === 'tainted',
        attributes,
      })),
    ),
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, { value = null, sensitive = false }]) => [
        name,
        { value, isSensitive: sensitive },
      ]),
    ),
  }
}

/**
 * Returns the state with another serial. Changes only that part of the text, because parsing and serializing would
 * change numbers that JavaScript cannot represent.
 */
export function withSerial(bytes: Buffer, serial: number): Buffer {
  const text = bytes.toString()
  const { start, end } = placeOfSerial(text)
  return Buffer.from(`${text.slice(0, start)}${serial}${text.slice(end)}`)
}

/** Returns the position of the value of the top-level property `serial`. */
function placeOfSerial(text: string): { start: number; end: number } {
  const named = /"serial"\s*:\s*/y
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const one = text.charAt(at)
    if (one === '{' || one === '[') depth += 1
    if (one === '}' || one === ']') depth -= 1
    if (one !== '"') continue
    named.lastIndex = at
    if (depth === 1 && named.test(text)) {
      const start = named.lastIndex
      return { start, end: start + text.slice(start).search(/[,}\s]/) }
    }
    at = endOfString(text, at)
  }
  throw new Error('the state has no serial')
}

type Place = {
  module: string | undefined
  mode: string
  type: string
  name: string
  index: string | number | undefined
  deposed: string | undefined
}

function addressOf({ module, mode, type, name, index, deposed }: Place): string {
  const local = `${mode === 'data' ? 'data.' : ''}${type}.${name}`
  const key = index === undefined ? '' : `[${JSON.stringify(index)}]`
  return deposedAddress(`${module === undefined ? '' : `${module}.`}${local}${key}`, deposed)
}

/** Returns the address of a deposed object, which remains beside its replacement. */
export const deposedAddress = (address: string, deposed: string | undefined): string =>
  deposed === undefined ? address : `${address} (deposed ${deposed})`

function parsed(bytes: Buffer): unknown {
  try {
    const text = bytes.toString()
    expectBounds(text, documentBounds)
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

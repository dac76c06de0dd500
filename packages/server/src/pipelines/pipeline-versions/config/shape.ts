import { unknown } from '@sluice/expressions'
import { type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { faultsOf, kindOf } from '../../../platform/http/faults.ts'
import { common, maxCounts, PipelineConfig, stepSchemas, triggerSchemas } from './schema.ts'

type Json = Record<string, unknown>

// Steps and triggers are validated separately with the schema of their type, to report only relevant errors.
const Frame = Type.Object(
  {
    ...PipelineConfig.properties,
    triggers: Type.Optional(Type.Array(Type.Unknown(), { maxItems: maxCounts.triggers })),
    steps: Type.Array(Type.Unknown(), { minItems: 1, maxItems: maxCounts.steps }),
  },
  { additionalProperties: false },
)

const AnyStep = Type.Object({ ...common, type: Type.Unknown(), with: Type.Optional(Type.Unknown()) })
const AnyTrigger = Type.Object({ type: Type.Unknown() })

/** Returns the schema violations of a config; `place` is its path. */
export function shapeFaults(config: Json, place: string): string[] {
  return [
    ...faultsOf(compiled(Frame), config, place),
    ...itemFaults(config.triggers, maxCounts.triggers, triggerSchemas, AnyTrigger, `${place}.triggers`),
    ...itemFaults(config.steps, maxCounts.steps, stepSchemas, AnyStep, `${place}.steps`),
  ]
}

function itemFaults(
  items: unknown,
  most: number,
  schemas: Readonly<Record<string, TSchema>>,
  anyType: TSchema,
  place: string,
): string[] {
  if (!Array.isArray(items)) return []
  return items.slice(0, most).flatMap((item: unknown, index) => {
    const at = `${place}[${index}]`
    const { type } = (item ?? {}) as { type?: unknown }
    const known = Object.keys(schemas).find((name) => name === type)
    const schema = known === undefined ? anyType : schemas[known]
    const isUnknown = known === undefined && type !== undefined
    return [
      ...(isUnknown ? [noSuchType(type, Object.keys(schemas), at)] : []),
      ...faultsOf(compiled(schema ?? anyType), item, at),
    ]
  })
}

function noSuchType(type: unknown, known: string[], place: string): string {
  if (typeof type !== 'string') return `${place}.type: expected string, got ${kindOf(type)}`
  return `${place}.type: ${unknown(`unknown type ${type}`, type, known)}`
}

const validators = new Map<TSchema, Validator>()

function compiled(schema: TSchema): Validator {
  const known = validators.get(schema) ?? Compile(schema)
  validators.set(schema, known)
  return known
}

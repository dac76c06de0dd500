import { unknown } from '@sluice/expressions'
import { type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { faultsOf, kindOf } from '../../../platform/http/faults.ts'
import { common, mostOf, PipelineConfig, stepSchemas, triggerSchemas } from './schema.ts'

type Json = Record<string, unknown>

// Steps and triggers are looked at one by one, each by the schema of its type: what they are not is of no interest.
const Frame = Type.Object(
  {
    ...PipelineConfig.properties,
    triggers: Type.Optional(Type.Array(Type.Unknown(), { maxItems: mostOf.triggers })),
    steps: Type.Array(Type.Unknown(), { minItems: 1, maxItems: mostOf.steps }),
  },
  { additionalProperties: false },
)

/** All that can be said of a step whose type is not known. */
const AnyStep = Type.Object({ ...common, type: Type.Unknown(), with: Type.Optional(Type.Unknown()) })
const AnyTrigger = Type.Object({ type: Type.Unknown() })

/** Everything in a config that is not of the right shape; `place` is its path. */
export function shapeFaults(config: Json, place: string): string[] {
  return [
    ...faultsOf(compiled(Frame), config, place),
    ...itemFaults(config.triggers, mostOf.triggers, triggerSchemas, AnyTrigger, `${place}.triggers`),
    ...itemFaults(config.steps, mostOf.steps, stepSchemas, AnyStep, `${place}.steps`),
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
  return `${place}.type: ${unknown(`there is no type ${type}`, type, known)}`
}

const validators = new Map<TSchema, Validator>()

function compiled(schema: TSchema): Validator {
  const known = validators.get(schema) ?? Compile(schema)
  validators.set(schema, known)
  return known
}

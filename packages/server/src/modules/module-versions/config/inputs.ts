import { hasTemplate, unknown } from '@sluice/expressions'
import { type ValueFault, valueErrors } from '../../module-instances/inputs/check.ts'
import type { PatternCheck } from '../../module-instances/inputs/patterns/settle.ts'
import { circleIn } from './circles.ts'
import { providers } from './providers.ts'
import {
  type InputDefinition,
  type InputOption,
  type InputPattern,
  providerPrefix,
  referencePrefix,
  type ShowWhen,
} from './schema.ts'

/** Input with its path in the request. */
export type InputPosition = { input: InputDefinition; path: string; reference?: InputPosition }

/** Returns the inputs of one scope, including mapped inputs. */
export const inputPositionsIn = (
  inputs: readonly InputDefinition[],
  path: string,
  reference?: InputPosition,
): InputPosition[] =>
  inputs.flatMap((input, index) => {
    const place: InputPosition = { input, path: `${path}[${index}]`, ...(reference && { reference }) }
    return [place, ...inputPositionsIn(input.mapped_inputs ?? [], `${place.path}.mapped_inputs`, place)]
  })

/** Context for validating the inputs of a scope. */
export type Surroundings = {
  /** Name by which templates refer to the scope; undefined for the inputs of a list item. */
  scope?: 'module' | 'build' | 'deploy'
  /** Input ids outside the scope that conditions can name. */
  outer: readonly string[] | 'any'
}

/** Error message, or a pattern check of a default value. */
export type ConfigFinding = string | PatternCheck<string>

/**
 * Yields all errors of a scope's inputs and items beyond their schema, lazily, so that the caller can stop at a limit.
 */
export function* inputFaults(
  inputs: readonly InputDefinition[],
  path: string,
  { scope: name, outer }: Surroundings,
): Generator<ConfigFinding> {
  const scope = inputPositionsIn(inputs, path)
  const ids = outer === 'any' ? undefined : new Set([...scope.map(({ input }) => input.id), ...outer])
  yield* repeatedIds(scope)
  for (const place of scope) {
    yield* attributeFaults(place)
    yield* choiceFaults(place)
    yield* patternFaults(place)
    yield* conditionFaults(place.input.show_when, `${place.path}.show_when`, ids)
    for (const [index, option] of optionsOf(place.input).entries()) {
      yield* conditionFaults(option.show_when, `${place.path}.values[${index}].show_when`, ids)
    }
    yield* defaultFaults(place)
    yield* inputFaults(place.input.item_inputs ?? [], `${place.path}.item_inputs`, { outer: [] })
  }
  yield* circleIn(scope, name)
}

function* repeatedIds(scope: InputPosition[]): Generator<string> {
  const seen = new Set<string>()
  for (const { input, path } of scope) {
    if (seen.has(input.id)) yield `${path}.id: expected another id, ${input.id} is there already`
    seen.add(input.id)
  }
}

const isHeading = (type: string) => type === 'section' || type === 'divider'
const isReference = (type: string) => type.startsWith(referencePrefix)
const isOneOf =
  (...types: string[]) =>
  (type: string) =>
    types.includes(type)

/** Types that have an attribute; attributes not listed apply to all types. */
const holders: Partial<Record<keyof InputDefinition, (type: string) => boolean>> = {
  // A boolean always has a value.
  required: (type) => type !== 'boolean' && !isHeading(type),
  default: (type) => !isHeading(type),
  immutable: (type) => !isHeading(type),
  moved_from: (type) => !isHeading(type),
  values: isOneOf('string', 'text', 'gitrepo', 'number', 'string_array', 'compound'),
  patterns: isOneOf('string', 'text', 'gitrepo', 'string_array'),
  min: isOneOf('number'),
  max: isOneOf('number'),
  mapped_inputs: isReference,
  item_inputs: isOneOf('object_array', 'object_map'),
  key: isOneOf('object_map'),
  fields: isOneOf('compound'),
}

function attributeFaults({ input, path }: InputPosition): string[] {
  const { type } = input
  const misplaced = Object.entries(holders)
    .filter(([name, hasIt]) => Object.hasOwn(input, name) && !hasIt(type))
    .map(([name]) => `${path}.${name}: not allowed: ${type} has no ${name}`)
  const missing = type === 'compound' && !input.fields ? [`${path}.fields: required, but missing`] : []
  const isWrongType = isReference(type) && !/^[a-z][a-z0-9-]*$/.test(type.slice(referencePrefix.length))
  return [
    ...misplaced,
    ...missing,
    ...(isWrongType ? [`${path}.type: expected the type of a definition behind ${referencePrefix}`] : []),
  ]
}

const optionsOf = ({ values }: InputDefinition): readonly InputOption[] => (Array.isArray(values) ? values : [])

function choiceFaults({ input, path }: InputPosition): string[] {
  const { type, values } = input
  if (typeof values === 'string') return providerFaults(values, path)
  const kind = type === 'number' ? 'number' : 'string'
  return optionsOf(input).flatMap((option, index) => {
    const place = `${path}.values[${index}]`
    const fields = Object.keys(option).filter((name) => !['value', 'label', 'description', 'show_when'].includes(name))
    return [
      ...(typeof option.value === kind ? [] : [`${place}.value: expected ${kind}, got ${typeof option.value}`]),
      ...(type === 'compound' ? [] : fields.map((name) => `${place}.${name}: unknown property`)),
    ]
  })
}

function providerFaults(values: string, path: string): string[] {
  const [provider = '', query = ''] = values.slice(providerPrefix.length).split('?')
  const parameters = providers.get(provider)
  if (parameters === undefined) {
    return [
      `${path}.values: ${unknown(`expected a provider, there is no ${provider}`, provider, [...providers.keys()])}`,
    ]
  }
  const given = new URLSearchParams(query.replaceAll(/<<.*?>>/gs, ''))
  return [...given.keys()]
    .filter((name) => !parameters.includes(name))
    .map(
      (name) =>
        `${path}.values: ${unknown(`expected a parameter of ${provider}, there is no ${name}`, name, parameters)}`,
    )
}

function patternFaults({ input, path }: InputPosition): string[] {
  const compiled = (patterns: InputPattern[] | undefined, place: string) =>
    (patterns ?? []).flatMap(({ pattern }, index) => {
      try {
        new RegExp(pattern)
        return []
      } catch (error) {
        return [`${place}[${index}].pattern: expected a regular expression: ${(error as Error).message}`]
      }
    })
  return [...compiled(input.patterns, `${path}.patterns`), ...compiled(input.key?.patterns, `${path}.key.patterns`)]
}

function* conditionFaults(
  conditions: ShowWhen | undefined,
  path: string,
  ids: ReadonlySet<string> | undefined,
): Generator<string> {
  for (const id of Object.keys(conditions ?? {})) {
    if (!ids || ids.has(id)) continue
    yield `${path}.${id}: ${unknown(`expected the id of an input here, there is no ${id}`, id, [...ids])}`
  }
}

/** Validates a default as far as it contains no templates. */
function defaultFaults({ input, path }: InputPosition): ConfigFinding[] {
  const { default: fallback, values } = input
  if (fallback === undefined || (typeof fallback === 'string' && hasTemplate(fallback))) return []
  if (fallback === `${providerPrefix}first`) {
    return values ? [] : [`${path}.default: expected values, of which it is the first`]
  }
  if (!Array.isArray(fallback) && mayBeTemplate(fallback)) return []
  const known = Array.isArray(fallback) ? fallback.filter((item) => !mayBeTemplate(item)) : fallback
  const listed = optionsOf(input)
  const { required: _, ...definition } = input
  const line = ({ below, message }: ValueFault) => `${path}.default${below}: ${message}`
  return valueErrors(definition, known, listed.length > 0 ? listed : undefined).map((finding) =>
    'faultOf' in finding ? { ...finding, faultOf: (message) => line(finding.faultOf(message)) } : line(finding),
  )
}

const mayBeTemplate = (value: unknown): boolean => JSON.stringify(value).includes('<<')

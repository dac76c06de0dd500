import { type Condition, type InputDefinition, literalDefault, type Values } from './definition.ts'

/**
 * The inputs of a scope that are asked for, given what was entered and what the service says of the rest. Conditions
 * may name what stands in the scope around it, too.
 */
export function visibleInputs(
  definitions: readonly InputDefinition[],
  given: Values,
  resolved: Values,
  outer: Values = {},
): Set<string> {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]))
  const known = new Map<string, boolean>()

  function isVisible(id: string): boolean {
    const before = known.get(id)
    if (before !== undefined) return before
    known.set(id, true) // inputs that hide each other in a circle are refused when a module is published
    const { show_when: conditions = {}, mappedBy } = byId.get(id) ?? {}
    const isShown =
      Object.entries(conditions).every(([controller, condition]) => holds(condition, standing(controller))) &&
      (mappedBy === undefined || isVisible(mappedBy))
    known.set(id, isShown)
    return isShown
  }

  /** What is hidden has no value, so that hiding goes on to what depends on it. */
  function standing(id: string): unknown {
    const definition = byId.get(id)
    if (!definition) return outer[id] ?? null
    if (!isVisible(id)) return null
    return valueIn(definition, given, resolved)
  }

  return new Set(definitions.map(({ id }) => id).filter(isVisible))
}

/** What an input stands at: what was entered, else what the service makes of it, else its default. */
export function valueIn(definition: InputDefinition, given: Values, resolved: Values): unknown {
  if (Object.hasOwn(given, definition.id)) return given[definition.id]
  return resolved[definition.id] ?? literalDefault(definition) ?? null
}

/** Nothing counts as `false` and as an empty text. */
export function holds(condition: Condition, value: unknown): boolean {
  const isOne = (wanted: unknown) => Object.is(value, wanted) || (value === null && (wanted === false || wanted === ''))
  if (Array.isArray(condition)) return condition.some(isOne)
  if (typeof condition === 'object' && 'not' in condition) {
    return ![condition.not].flat().some(isOne)
  }
  return isOne(condition)
}

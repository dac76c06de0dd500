import { type Condition, type InputDefinition, literalDefault, type Values } from './definition.ts'

/** Returns the visible inputs of a scope. Conditions can also refer to inputs of the enclosing scope. */
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
    known.set(id, true) // Publishing rejects inputs that hide each other in a cycle.
    const { show_when: conditions = {}, mappedBy } = byId.get(id) ?? {}
    const isShown =
      Object.entries(conditions).every(([controller, condition]) => isConditionMet(condition, standing(controller))) &&
      (mappedBy === undefined || isVisible(mappedBy))
    known.set(id, isShown)
    return isShown
  }

  /** Returns undefined for hidden inputs, so that inputs that depend on them are hidden, too. */
  function standing(id: string): unknown {
    const definition = byId.get(id)
    if (!definition) return outer[id] ?? null
    if (!isVisible(id)) return null
    return currentValue(definition, given, resolved)
  }

  return new Set(definitions.map(({ id }) => id).filter(isVisible))
}

/** Returns the value of an input: entered, else computed by the server, else the default. */
export function currentValue(definition: InputDefinition, given: Values, resolved: Values): unknown {
  if (Object.hasOwn(given, definition.id)) return given[definition.id]
  return resolved[definition.id] ?? literalDefault(definition) ?? null
}

/** Returns whether a condition is met. A missing value equals `false` and the empty string. */
export function isConditionMet(condition: Condition, value: unknown): boolean {
  const isOne = (wanted: unknown) => Object.is(value, wanted) || (value === null && (wanted === false || wanted === ''))
  if (Array.isArray(condition)) return condition.some(isOne)
  if (typeof condition === 'object' && 'not' in condition) {
    return ![condition.not].flat().some(isOne)
  }
  return isOne(condition)
}

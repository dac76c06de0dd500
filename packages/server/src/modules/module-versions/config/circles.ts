import { referencesIn } from '@sluice/expressions'
import type { InputPosition } from './inputs.ts'

/**
 * Returns the first cycle of inputs that depend on themselves through conditions, defaults or references. `root` is the
 * name by which templates refer to the scope; undefined for the inputs of a list item.
 */
export function circleIn(scope: readonly InputPosition[], root: string | undefined): string[] {
  const byId = new Map(scope.map((place) => [place.input.id, place]))
  const done = new Set<string>()
  for (const { input, path } of scope) {
    const circle = follow(input.id, [])
    if (circle)
      return [`${path}: expected values that can be resolved, this one depends on itself: ${circle.join(' → ')}`]
  }
  return []

  function follow(id: string, before: readonly string[]): string[] | undefined {
    const start = before.indexOf(id)
    if (start !== -1) return [...before.slice(start), id]
    const place = byId.get(id)
    if (!place || done.has(id)) return undefined
    for (const next of dependenciesOf(place)) {
      const circle = follow(next, [...before, id])
      if (circle) return circle
    }
    done.add(id)
    return undefined
  }

  function dependenciesOf({ input, reference }: InputPosition): string[] {
    const read = referencesIn([input.default, input.values]).flatMap(([first, second, id]) =>
      first === root && second === 'input' && id !== undefined ? [id] : [],
    )
    return [...Object.keys(input.show_when ?? {}), ...read, ...(reference ? [reference.input.id] : [])]
  }
}

/** Variants of a stack's pipeline run. */
const variants = ['standard', 'plan']

type Json = Record<string, unknown>

/** Returns errors for triggers that are valid by schema but have no effect. */
export function triggerFaults(stack: unknown, path: string): string[] {
  const { defaults, change } = membersOf(membersOf(stack).pipelines)
  const { variant } = membersOf(defaults)
  const { triggers } = membersOf(change)
  const below = `${path}.pipelines`
  return [
    ...(isOther(variant, ['standard']) ? [`${below}.defaults.variant: expected standard`] : []),
    ...(Array.isArray(triggers) ? triggers.flatMap(faultsAt(`${below}.change.triggers`, triggers)) : []),
  ]
}

const faultsAt =
  (path: string, all: unknown[]) =>
  (trigger: unknown, index: number): string[] => {
    const { id, event, filter, run } = membersOf(trigger)
    const at = `${path}[${index}]`
    const named = Object.keys(membersOf(run)).filter((name) => !name.startsWith('...'))
    const isFirst = all.findIndex((other) => membersOf(other).id === id) === index
    const noAction = event === 'push' && (membersOf(filter).action ?? undefined) !== undefined
    return [
      ...(isFirst ? [] : [`${at}.id: expected another one, there is a trigger ${id} already`]),
      ...(noAction ? [`${at}.filter.action: not allowed: only pull requests have one`] : []),
      ...(named.length > 1 ? [`${at}.run: expected one variant`] : []),
      ...named
        .filter((name) => !variants.includes(name))
        .map((name) => `${at}.run.${name}: expected one of the variants ${variants.join(' and ')}`),
    ]
  }

const isOther = (value: unknown, known: string[]): boolean =>
  typeof value === 'string' && !value.includes('<<') && !known.includes(value)

const membersOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})

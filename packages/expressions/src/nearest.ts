/** Returns `what`, such as `unknown name stak`, with the most similar name, or else all names. */
export function suggestName(what: string, name: string, names: readonly string[]): string {
  const near = findNearestName(name, names)
  if (near !== undefined) return `${what}; did you mean ${near}?`
  return names.length === 0 ? `${what}; none is available` : `${what}; available: ${listed(names)}`
}

/** Maximum number of names to list. A definition may have more than a hundred inputs. */
const maxListedNames = 20

function listed(names: readonly string[]): string {
  const shown = names.toSorted().slice(0, maxListedNames).join(', ')
  return names.length > maxListedNames ? `${shown} and ${names.length - maxListedNames} more` : shown
}

/** Maximum length of names to compare, because the time is the product of the lengths. */
const maxNameLength = 64

/** Maximum number of names to compare. */
const maxComparedNames = 500

/**
 * Returns the most similar name: with at most one typing error per three letters, and not an entirely different one.
 */
export function findNearestName(name: string, names: readonly string[]): string | undefined {
  if (name.length > maxNameLength) return undefined
  const far = Math.min(Math.max(1, Math.floor(name.length / 3)) + 1, name.length)
  let best: { known?: string; distance: number } = { distance: far }
  for (const known of names.slice(0, maxComparedNames)) {
    if (Math.abs(known.length - name.length) >= best.distance) continue
    const distance = distanceOf(name, known)
    if (distance < best.distance) best = { known, distance }
  }
  return best.known
}

/** Returns the number of letters added, removed, changed or swapped with a neighbour (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = a[i - 1] === b[j - 1] ? 0 : 1
      const steps = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + changed]
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) steps.push((before[j - 2] ?? 0) + 1)
      row.push(Math.min(...steps))
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

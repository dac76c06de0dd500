/** Removes null members, which templates treat like absent ones. Nulls within defaults of inputs remain. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, name === 'default' ? member : withoutNulls(member)]),
  )
}

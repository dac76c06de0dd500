type Json = Record<string, unknown>

/**
 * A step's `with` in two parts: what may hold templates, and the texts of programs. These are full of `<<` of their own
 * and no place for values that a run is given, so they are taken as they are; values reach them by environment
 * variables.
 */
export function apart(given: Json): { rest: Json; together(rendered: Json): Json } {
  const { shell, ...rest } = given
  const { source } = rest
  const files = isObject(source) ? source.files : undefined
  return {
    rest: isObject(source) && files !== undefined ? { ...rest, source: { ...source, files: {} } } : rest,
    together: (rendered) => ({
      ...rendered,
      ...(shell !== undefined && { shell }),
      ...(files !== undefined && { source: { ...(rendered.source as Json), files } }),
    }),
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

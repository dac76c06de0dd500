type Json = Record<string, unknown>

/**
 * Splits the `with` section of a step into a part with templates and the texts of programs. Programs may contain `<<`
 * of their own and are not rendered; they receive values as environment variables.
 */
export function separateProgramTexts(given: Json): { rest: Json; together(rendered: Json): Json } {
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

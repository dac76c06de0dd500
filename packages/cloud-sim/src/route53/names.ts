/** Returns a name in API format: lower case, with a trailing dot, and unusual characters as `\052`. */
export function writtenName(name: string): string {
  const full = name.endsWith('.') ? name : `${name}.`
  const octal = (character: string) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
  return full
    .toLowerCase()
    .replaceAll(/\\(\d{3})/g, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
    .replaceAll(/[^a-z0-9_.-]/g, octal)
}

/** Returns the sort key of a name: its labels in reverse. */
export const reversed = (name: string): string => name.split('.').filter(Boolean).reverse().join('.')

export const isWithin = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`)

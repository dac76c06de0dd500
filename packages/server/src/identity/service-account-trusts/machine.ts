/** What a trust asks of a token. */
export type Asked = { audience: string; subject: string; claims: Readonly<Record<string, string>> }

/** What a token says. */
export type Said = Readonly<Record<string, unknown>> & { sub: string }

/** The claims in which a token is not what is asked. */
export function wrongClaims({ audience, subject, claims }: Asked, said: Said): string[] {
  const audiences = [said.aud].flat()
  const wrong = Object.entries({ ...claims, sub: subject }).filter(([name, pattern]) => {
    const value = Object.hasOwn(said, name) ? said[name] : undefined
    return !isPlain(value) || !fits(pattern, String(value))
  })
  return [...(audiences.includes(audience) ? [] : ['aud']), ...wrong.map(([name]) => name)]
}

/** A list or an object would be written as text in more than one way. */
const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** A `*` stands for one part between `/` and `:`; at the end, for all that follows. What it stands for is not empty. */
export function fits(pattern: string, value: string): boolean {
  const parts = pattern.split('*').map((literal) => literal.replaceAll(/[\\^$.|?*+()[\]{}/-]/g, '\\$&'))
  const last = parts.length - 1
  const source = parts.reduce((made, part, at) => `${made}${at === last && part === '' ? '.+' : '[^/:]+'}${part}`)
  return new RegExp(`^${source}$`, 's').test(value)
}

/**
 * What is wrong with a pattern. The issuers of CI sign for the whole world: a `*` that stands for the owner of the
 * repository, or for a part of the owner's name, would let strangers in.
 */
export function patternFault(pattern: string): string | undefined {
  const first = pattern.indexOf('*')
  if (first === -1) return undefined
  if (/[^/:]\*|\*[^/:]/.test(pattern)) return 'expected each * to be a whole part between / and :'
  if (!pattern.slice(0, first).includes('/')) return 'expected a / before the first *, so that the owner is named'
  return undefined
}

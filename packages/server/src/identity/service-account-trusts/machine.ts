/** Claims that a trust requires of an ID token. */
export type TrustConditions = { audience: string; subject: string; claims: Readonly<Record<string, string>> }

/** Claims that an ID token contains. */
export type TokenClaims = Readonly<Record<string, unknown>> & { sub: string }

/** Returns the names of claims that do not match. */
export function wrongClaims({ audience, subject, claims }: TrustConditions, tokenClaims: TokenClaims): string[] {
  const audiences = [tokenClaims.aud].flat()
  const wrong = Object.entries({ ...claims, sub: subject }).filter(([name, pattern]) => {
    const value = Object.hasOwn(tokenClaims, name) ? tokenClaims[name] : undefined
    return !isPlain(value) || !fits(pattern, String(value))
  })
  return [...(audiences.includes(audience) ? [] : ['aud']), ...wrong.map(([name]) => name)]
}

/** Lists and objects have no unique text form, so only primitive values match. */
const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/**
 * Reports whether a pattern matches. A `*` matches one non-empty part between `/` and `:`, or at the end the whole
 * rest.
 */
export function fits(pattern: string, value: string): boolean {
  const parts = pattern.split('*').map((literal) => literal.replaceAll(/[\\^$.|?*+()[\]{}/-]/g, '\\$&'))
  const last = parts.length - 1
  const source = parts.reduce((made, part, at) => `${made}${at === last && part === '' ? '.+' : '[^/:]+'}${part}`)
  return new RegExp(`^${source}$`, 's').test(value)
}

/**
 * Returns why a pattern is unsafe. CI issuers sign for everyone, so a `*` for the repository owner would admit
 * strangers.
 */
export function patternFault(pattern: string): string | undefined {
  const first = pattern.indexOf('*')
  if (first === -1) return undefined
  if (/[^/:]\*|\*[^/:]/.test(pattern)) return 'expected each * to be a whole part between / and :'
  if (!pattern.slice(0, first).includes('/')) return 'expected a / before the first *, so that the owner is named'
  return undefined
}

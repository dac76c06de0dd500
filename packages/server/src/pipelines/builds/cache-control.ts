/** Cache-Control header for the files whose path matches. */
export type CacheRule = {
  /** Pattern with at most one `*`, which matches any characters including `/`. */
  path: string
  value: string
}

const immutable = 'public, max-age=31536000, immutable'
const revalidate = 'public, max-age=0, must-revalidate'

/**
 * Directories in which build tools store content-hashed files: Next.js, Nuxt, SvelteKit and Astro (their documentation
 * on deployment, read 2026-11). A name alone is not sufficient: `brochure-Summer25.pdf` looks hashed.
 */
const defaultRules: readonly CacheRule[] = [
  { path: '_nuxt/builds/*', value: revalidate }, // Nuxt reads latest.json there to detect a new release
  ...['_next/static/*', '_nuxt/*', '_app/immutable/*', '_astro/*'].map((path) => ({ path, value: immutable })),
]

/** File of a site, and whether a manifest of its build tool says that its name contains a hash of its content. */
type SiteFile = { path: string; isContentHashed?: true }

/** Returns the Cache-Control header of a site's file. By default, browsers revalidate it. */
export function cacheControlOf({ path, isContentHashed }: SiteFile, rules: readonly CacheRule[]): string {
  const valueIn = (all: readonly CacheRule[]) => all.find((rule) => matches(rule.path, path))?.value
  return valueIn(rules) ?? (isContentHashed ? immutable : valueIn(defaultRules)) ?? revalidate
}

function matches(pattern: string, path: string): boolean {
  const [head = '', tail] = pattern.split('*')
  if (tail === undefined) return path === head
  return path.length >= head.length + tail.length && path.startsWith(head) && path.endsWith(tail)
}

/** Returns the errors in a build block's rules, with `place` as their path. */
export const cacheRuleFaults = (rules: readonly CacheRule[], place: string): string[] =>
  rules.flatMap(({ path, value }, index) => [
    ...(/^[^/*][^*]*\*?[^*]*$|^\*[^*]*$/.test(path)
      ? []
      : [`${place}[${index}].path: expected a path in the output directory with at most one *, such as assets/*`]),
    ...(/^[\x21-\x7e][\x20-\x7e]*$/.test(value)
      ? []
      : [`${place}[${index}].value: expected a Cache-Control header, such as ${immutable}`]),
  ])

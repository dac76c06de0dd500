/**
 * Returns the page that a text names, if it is on this service's origin or on one that is allowed too: an address that
 * somebody else made up must not lead away from here.
 */
export function siteUrl(text: string, ownOrigin: string, allowedOrigins: readonly string[] = []): URL | undefined {
  if (!URL.canParse(text, ownOrigin)) return undefined
  const url = new URL(text, ownOrigin)
  const isPage = ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
  return isPage && (url.origin === ownOrigin || allowedOrigins.includes(url.origin)) ? url : undefined
}

/** Returns the path, query and fragment of the page of this service that a text names; `/` for any other text. */
export function sitePath(text: string | undefined, ownOrigin: string): string {
  const url = siteUrl(text ?? '/', ownOrigin)
  if (!url) return '/'
  const path = url.pathname + url.search + url.hash
  // The path of `/.//evil.example` is `//evil.example`, which leads there when it is read again.
  return siteUrl(path, ownOrigin)?.href === url.href ? path : '/'
}

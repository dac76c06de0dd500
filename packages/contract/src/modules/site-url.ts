/**
 * Returns the URL that a text names if its origin is the service's own or an allowed one. URLs crafted by others must
 * not lead away from the service.
 */
export function siteUrl(text: string, ownOrigin: string, allowedOrigins: readonly string[] = []): URL | undefined {
  if (!URL.canParse(text, ownOrigin)) return undefined
  const url = new URL(text, ownOrigin)
  const isPage = ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
  return isPage && (url.origin === ownOrigin || allowedOrigins.includes(url.origin)) ? url : undefined
}

/** Returns the path, query and fragment if the text names a page of the service, and `/` otherwise. */
export function sitePath(text: string | undefined, ownOrigin: string): string {
  const url = siteUrl(text ?? '/', ownOrigin)
  if (!url) return '/'
  const path = url.pathname + url.search + url.hash
  // The path of `/.//evil.example` is `//evil.example`, which leads to another origin when it is parsed again.
  return siteUrl(path, ownOrigin)?.href === url.href ? path : '/'
}

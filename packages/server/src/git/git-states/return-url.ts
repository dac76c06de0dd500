/** Where a person may be sent back to: a page of our own origin or of one that the operator allows; else undefined. */
export function readReturnUrl(text: string, ownOrigin: string, allowed: readonly string[]): string | undefined {
  const url = URL.parse(text, ownOrigin)
  if (url?.username !== '' || url.password !== '') return undefined
  return url.origin === ownOrigin || allowed.includes(url.origin) ? url.href : undefined
}

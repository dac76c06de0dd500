import { routes } from '@sluice/contract'
import type { Page } from 'playwright-core'

/** Words that are enumeration values of the interface and also plain words or names in capitals. */
const plainWords = new Set(['HTTP', 'HTTPS', 'JSON', 'YAML'])

/** Returns the enumeration values in capitals of a schema and of its parts. */
function valuesIn(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found
  const values: unknown = Reflect.get(schema, 'enum')
  for (const value of Array.isArray(values) ? values : [])
    if (typeof value === 'string' && /^[A-Z][A-Z0-9_]{3,}$/.test(value) && !plainWords.has(value)) found.add(value)
  for (const part of Object.values(schema)) valuesIn(part, found)
  return found
}

const wireValues = [...valuesIn(routes)]

/** Elements whose text is copied or written by users: there, the words of the interface are right. */
const copied = 'code, pre, kbd, textarea, input, script, style, [data-copied], [data-user-text], .cm-editor'

// A string, because it runs in the browser, whose globals are not declared here.
const search = `((values) => {
  const known = new Set(values)
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (walker.nextNode()) {
    const { parentElement: parent, textContent: text } = walker.currentNode
    if (!parent || parent.closest(${JSON.stringify(copied)}) || !parent.checkVisibility()) continue
    const words = text.match(/[A-Za-z0-9_]+/g) ?? []
    if (words.some((word) => known.has(word) || /^[a-z]{2,6}_[0-9a-z]{26}$/.test(word))) found.push(text.trim().slice(0, 120))
  }
  return found
})(${JSON.stringify(wireValues)})`

/** Returns the visible texts of a page with an enumeration value or an ID of the interface. */
export const wireWordsOn = (page: Page): Promise<string[]> => page.evaluate<string[]>(search)

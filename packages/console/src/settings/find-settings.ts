import { matchesWords } from '../search/actions.ts'
import { type SettingsPage, settingsSections } from './settings-pages.ts'

/** Labels and help texts of each page, by its address. */
export type SettingsTexts = Readonly<Record<string, readonly string[]>>

export type SettingsHit = {
  page: SettingsPage
  /** Text of the page that matches; undefined if its name or the words of its list do. */
  text?: string | undefined
}

export type SettingsHits = { label: string; hits: SettingsHit[] }[]

/** Returns the pages whose names, labels or help texts match, by section. Without a text, returns all pages. */
export function findSettings(text: string, texts: SettingsTexts): SettingsHits {
  const isAll = text.trim() === ''
  return settingsSections.flatMap(({ label, pages }) => {
    const hits = pages.flatMap((page) => (isAll ? { page } : (hitOf(page, text, texts[page.to] ?? []) ?? [])))
    return hits.length === 0 ? [] : [{ label, hits }]
  })
}

function hitOf(page: SettingsPage, text: string, texts: readonly string[]): SettingsHit | undefined {
  if (matchesWords(text, page.label, page.keywords)) return { page }
  const found = texts.find((one) => matchesWords(text, one))
  return found === undefined ? undefined : { page, text: found }
}

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findSettings, type SettingsTexts } from './find-settings.ts'
import { settingsPages, settingsSections } from './settings-pages.ts'

const src = new URL('../', import.meta.url).pathname

/** Returns the files of a page: its own and what it imports from the settings. */
function filesOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !existsSync(file)) return found
  found.add(file)
  const text = readFileSync(file, 'utf8')
  for (const [, path = ''] of text.matchAll(/from '(\.[^']+\.tsx)'/g)) {
    const next = join(dirname(file), path)
    if (next.startsWith(join(src, 'settings'))) filesOf(next, found)
  }
  return found
}

/** Matches the texts that a page shows: labels, titles and help. */
const shown = /\b(?:label|title|description)="([^"{}]+)"/g

/** Returns the texts of each page, read from the code of the pages. */
function textsInCode(): SettingsTexts {
  const router = readFileSync(join(src, 'router.tsx'), 'utf8')
  return Object.fromEntries(
    settingsPages.map(({ to }) => {
      const path = to.replace('/console/settings/', '')
      const [, file = ''] =
        new RegExp(`getParentRoute: \\(\\) => settings,\\s+path: '${path}',[\\s\\S]*?import\\('\\./([^']+)'\\)`).exec(
          router,
        ) ?? []
      const texts = [...filesOf(join(src, file))].flatMap((one) =>
        [...readFileSync(one, 'utf8').matchAll(shown)].map(([, text = '']) => text),
      )
      return [to, [...new Set(texts)].toSorted()]
    }),
  )
}

// `npm run docs` updates the file.
test('the search has the labels and help texts of every page', async () => {
  const texts = textsInCode()
  expect(Object.values(texts).filter((all) => all.length === 0)).toEqual([])
  await expect(`${JSON.stringify(texts, null, 2)}\n`).toMatchFileSnapshot('./settings-texts.generated.json')
})

const found = (text: string) =>
  findSettings(text, textsInCode()).flatMap(({ hits }) => hits.map(({ page }) => page.label))

test('a page is found by its name, by other words for it, and by the labels of its fields', () => {
  expect(found('api k')).toContain('API keys')
  expect(found('gitops')).toEqual(['Watched repositories'])
  expect(found('warn only')).toContain('Freezes')
  expect(found('no such setting')).toEqual([])
})

test('all pages are listed once, in about five sections', () => {
  expect(found('')).toEqual(settingsPages.map(({ label }) => label))
  expect(new Set(settingsPages.map(({ to }) => to)).size).toBe(settingsPages.length)
  expect(settingsSections).toHaveLength(5)
})

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// As texts: they run in the browser, whose words this program does not know.
const violations = `axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 300)).join(' ')))`

const widest = `[...document.querySelectorAll('*')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('ol, [data-scrollarea-viewport]'))
  .map((one) => one.className + ' ' + one.textContent.slice(0, 40)).slice(0, 8).join(' | ')`

/** Nothing that axe finds, in both colour schemes, and nothing wider than the narrowest phone. */
export async function lookOver(page: Page, place: string): Promise<void> {
  await page.evaluate(axeSource)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.waitForTimeout(300) // colours fade
    await keepPicture(page, `${place} ${colorScheme}`)
    expect.soft(await page.evaluate<string[]>(violations), `${place}, ${colorScheme}`).toEqual([])
  }
  await page.setViewportSize({ width: 360, height: 740 })
  const fits = page.waitForFunction('document.documentElement.scrollWidth <= innerWidth')
  const isWide = await fits.then(
    () => false,
    () => true,
  )
  expect.soft(isWide && (await page.evaluate<string>(widest)), `${place} at 360 px`).toBe(false)
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.waitForFunction('innerWidth === 1280') // or the next click may go where its target was before
}

/** `npm run screenshots` names the directory. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const directory = process.env.SLUICE_SCREENSHOTS
  if (directory === undefined) return
  const file = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const clip = { x: 0, y: 0, width: 1280, height: 700 } // what says the most, in less than 150 kB
  await page.screenshot({ path: join(directory, `${file}.png`), clip })
}

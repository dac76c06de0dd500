import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// Strings, because they run in the browser, whose globals are not declared here.
const violations = (options: string) => `axe.run(${options}).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 300)).join(' ')))`

/** All axe rules in light mode; only color rules in dark mode. */
const looksIn = {
  light: violations('{}'),
  dark: violations("{ runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }"),
} as const

/** Waits two frames, because transitions start only after the browser draws the new color scheme. */
const coloursHaveFaded = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
  Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished)))`

const widest = `[...document.querySelectorAll('main *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('ol, nav, [data-scrollarea-viewport]'))
  .map((one) => one.className + ' ' + one.textContent.slice(0, 40)).slice(0, 8).join(' | ')`

/** Text for screen readers only is one pixel wide. */
const cutOff = `[...document.querySelectorAll('button *')]
  .filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1)
  .filter((one) => getComputedStyle(one).overflowX === 'hidden' && getComputedStyle(one).textOverflow !== 'ellipsis')
  .map((one) => one.textContent.slice(0, 60))`

/** Checks a page with axe in both color schemes, and that it fits a narrow phone and a small screen. */
export async function checkPage(page: Page, place: string): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' }) // the page's script may still be loading
  await page.evaluate(axeSource)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(coloursHaveFaded)
    await keepPicture(page, `${place} ${colorScheme}`)
    expect.soft(await page.evaluate<string[]>(looksIn[colorScheme]), `${place}, ${colorScheme}`).toEqual([])
  }
  const before = page.viewportSize() ?? { width: 1280, height: 900 }
  for (const width of [360, 1024]) await fitIn(page, width, place)
  await page.setViewportSize(before)
  // Otherwise the next click could hit the old position of its target.
  await page.waitForFunction(`innerWidth === ${before.width}`)
}

async function fitIn(page: Page, width: number, place: string): Promise<void> {
  await page.setViewportSize({ width, height: 740 })
  const fits = `innerWidth === ${width} && document.documentElement.scrollWidth <= innerWidth`
  const isWide = await page.waitForFunction(fits, undefined, { timeout: 5_000 }).then(
    () => false,
    () => true,
  )
  expect
    .soft(await page.evaluate<string[]>(cutOff), `words of buttons that are cut off: ${place} at ${width} px`)
    .toEqual([])
  expect.soft(isWide && (await page.evaluate<string>(widest)), `${place} at ${width} px`).toBe(false)
}

/** Saves a screenshot if `npm run screenshots` set the directory. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const directory = process.env.SLUICE_SCREENSHOTS
  if (directory === undefined) return
  const file = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const clip = { x: 0, y: 0, width: 1280, height: 700 } // the most useful part, in less than 150 kB
  await page.screenshot({ path: join(directory, `${file}.png`), clip })
}

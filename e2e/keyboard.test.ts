import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestOrganization, type World } from '../packages/server/src/testing/world.ts'
import { untilPasses } from '../testing/until-passes.ts'
import { browserPath, openBrowser } from './browser.ts'
import { checkPage } from './check-page.ts'
import { signedIn } from './signed-in.ts'

let world: World
let browser: Browser
let org: TestOrganization
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  world = await startWorld()
  browser = await openBrowser()
  org = await world.organization()
  page = await signedIn({ world, browser, complaints }, org)
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

const needsBrowser = (skip: (condition: boolean, why: string) => void) =>
  skip(browserPath === undefined, 'skipped: a browser')

const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
const palette = () => page.getByRole('combobox', { name: 'Search everything' })
const hasFocus = (what: ReturnType<typeof heading>) =>
  untilPasses(async () => expect(await what.evaluate((element) => element.matches(':focus'))).toBe(true))

/** Opens the palette and chooses the action that a text finds. */
async function choose(text: string, name: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await palette().fill(text)
  await page.getByRole('option', { name }).first().waitFor()
  await page.getByRole('option', { name }).first().click()
}

test('the palette runs actions, on this page and everywhere', async ({ skip }) => {
  needsBrowser(skip)
  const { moduleInstanceId } = await org.service()
  await page.goto(`${world.url}/console/instances/${moduleInstanceId}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('group', { name: 'On this page' }).getByRole('option', { name: 'Copy ID' }).waitFor()
  await page.getByRole('group', { name: 'Actions' }).getByRole('option', { name: 'Create API key' }).waitFor()
  await checkPage(page, 'actions of the palette')
  await page.keyboard.press('Escape')

  await choose('new project', 'Create project')
  await page.getByRole('dialog', { name: 'Create project' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/projects')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await choose('schedule', 'Schedule freeze')
  await page.getByRole('dialog', { name: 'Schedule freeze' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await choose('dark theme', 'Use the dark theme')
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
})

test('the theme follows the system, or is light or dark', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/activity`)
  await page.getByRole('button', { name: /^Theme:/ }).click()
  await page.getByRole('menuitemradio', { name: 'System' }).waitFor()
  await checkPage(page, 'themes')
  await page.keyboard.press('Escape')
  await page.getByRole('menuitemradio', { name: 'System' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Theme:/ }).click()
  await page.getByRole('menuitemradio', { name: 'System' }).click()
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
  }
  await page.getByRole('button', { name: 'Theme: System' }).waitFor()
})

test('single keys open pages and move to buttons, and can be turned off', async ({ skip }) => {
  needsBrowser(skip)
  const { moduleInstanceId } = await org.service()
  await page.goto(`${world.url}/console/instances/${moduleInstanceId}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).waitFor()
  await page.keyboard.press('h')
  await hasFocus(page.getByRole('button', { name: /^Hold/ }))
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: /^Hold/ }).waitFor()
  await page.keyboard.type('gd')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe(`/console/instances/${moduleInstanceId}`)

  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await hasFocus(heading('Deployments'))
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await hasFocus(heading('Pipelines'))

  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByText('Go to Deployments').waitFor()
  await checkPage(page, 'keyboard shortcuts')
  await help.getByRole('switch', { name: 'Single-key shortcuts' }).click()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.keyboard.press('?')
  await help.waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/pipelines')
  await help.getByRole('switch', { name: 'Single-key shortcuts' }).click()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
})

test('the first press of Tab offers to skip the navigation, and a new page focuses its heading', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/modules`)
  await heading('Modules').waitFor()
  await page.keyboard.press('Tab')
  await hasFocus(page.getByRole('link', { name: 'Skip to content' }))
  await page.keyboard.press('Enter')
  await hasFocus(page.getByRole('main'))
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Reports' }).press('Enter')
  await hasFocus(heading('Reports'))
  expect(complaints).toEqual([])
})

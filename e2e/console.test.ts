import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserPath, openBrowser } from './browser.ts'
import { type Demo, startDemo } from './demo.ts'

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const hasTool = ['terraform', 'tofu'].some((tool) => spawnSync(tool, ['version']).status === 0)

let demo: Demo
let browser: Browser
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  demo = await startDemo()
  browser = await openBrowser()
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
  page.setDefaultTimeout(60_000)
  page.on('pageerror', ({ message }) => complaints.push(message))
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

const needsBrowser = (skip: (condition: boolean, why: string) => void) =>
  skip(browserPath === undefined, 'skipped: a browser')

const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 })
const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
const go = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()

// As texts: they run in the browser, whose words this program does not know.
const violations = `axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 300)).join(' ')))`

const widest = `[...document.querySelectorAll('*')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('ol, [data-scrollarea-viewport]'))
  .map((one) => one.className + ' ' + one.textContent.slice(0, 40)).slice(0, 8).join(' | ')`

/** Nothing that axe finds, in both colour schemes, and nothing wider than the narrowest phone. */
async function lookOver(place: string): Promise<void> {
  await page.evaluate(axeSource)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.waitForTimeout(300) // colours fade
    const found = await page.evaluate<string[]>(violations)
    expect.soft(found, `${place}, ${colorScheme}`).toEqual([])
  }
  await page.setViewportSize({ width: 360, height: 740 })
  // The navigation slides away first.
  const fits = page.waitForFunction('document.documentElement.scrollWidth <= innerWidth', undefined, { timeout: 5_000 })
  const isWide = await fits.then(
    () => false,
    () => true,
  )
  expect.soft(isWide && (await page.evaluate<string>(widest)), `${place} at 360 px`).toBe(false)
  await page.setViewportSize({ width: 1280, height: 900 })
}

test('a person signs in, and a wrong password is told', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(demo.url)
  await heading('Sign in').waitFor()
  await lookOver('sign-in')
  await page.getByLabel('Email').fill(demo.email)
  await page.getByRole('textbox', { name: 'Password' }).fill('wrong')
  await click('Sign in')
  await page.getByRole('alert').waitFor()
  await page.getByRole('textbox', { name: 'Password' }).fill(demo.password)
  await click('Sign in')
  await heading('Overview').waitFor()
  await page.getByText('No step waits for approval.').waitFor()
  await lookOver('overview')
})

test('a canary is deployed, pauses, and goes on twice to its end', async ({ skip }) => {
  needsBrowser(skip)
  await go('Environments')
  await lookOver('environments')
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByLabel('Image').fill('2.0.0')
  await lookOver('module instance')
  await click('Deploy')
  for (const percent of [0, 10]) {
    await page.getByText('Paused: it is your turn').waitFor()
    await page.getByText(`Production traffic: ${100 - percent} % before, ${percent} % new`).waitFor()
    await lookOver(`deployment at ${percent} %`)
    await click('Continue')
    await page.getByText('Paused: it is your turn').waitFor({ state: 'detached' })
  }
  await page.getByText('The new version is live.').waitFor()
  await page.getByRole('button', { name: 'Deploy this version again' }).waitFor()
  await go('Deployments')
  await page.getByRole('link', { name: /web/ }).waitFor()
  await lookOver('deployments')
})

test('a plan is approved, and its run goes on', async ({ skip }) => {
  needsBrowser(skip)
  skip(!hasTool, 'skipped: terraform')
  const headers = { origin: demo.url }
  const pipelines = await (await page.request.get(`${demo.url}/pipelines`)).json()
  const data = { pipelineId: pipelines.data[0].id, description: 'From the test', inputs: { image_ref: '2.1.0' } }
  expect((await page.request.post(`${demo.url}/pipeline-runs`, { headers, data: { data } })).status()).toBe(201)
  await go('Overview')
  await page.getByText('Apply the plan, then release 2.1.0 to production?').waitFor()
  await lookOver('an approval on the overview')
  await page.getByRole('link', { name: 'Apply the plan' }).click()
  await heading('Release').waitFor()
  await click('Approve')
  const apply = page.getByRole('region', { name: 'Apply the plan' })
  await apply.getByText('Success', { exact: true }).waitFor()
  await apply.getByRole('button', { name: 'Show the log' }).click()
  await apply.getByText(/Apply complete/).waitFor()
  await lookOver('a run')
  await go('Pipelines')
  await page.getByText('From the test').waitFor()
  await lookOver('pipelines')
})

test('what went wrong says why', async ({ skip }) => {
  needsBrowser(skip)
  await go('Environments')
  await page.getByRole('link', { name: 'worker', exact: true }).click()
  await page.getByLabel('Image').fill('3.0.0-crash')
  await click('Deploy')
  await page
    .getByText(/did not become healthy/)
    .first()
    .waitFor()
  await page
    .getByText(/exit code 1/)
    .first()
    .waitFor()
  await lookOver('failed deployment')
})

test('no page threw an error', ({ skip }) => {
  needsBrowser(skip)
  expect(complaints).toEqual([])
})

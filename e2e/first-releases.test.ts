import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserPath, openBrowser, pageTimeoutMs } from './browser.ts'
import { checkPage } from './check-page.ts'
import { type Demo, startDemo } from './demo.ts'

let demo: Demo
let browser: Browser
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  demo = await startDemo()
  browser = await openBrowser()
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
  page.setDefaultTimeout(pageTimeoutMs)
  page.on('pageerror', ({ message }) => complaints.push(message))
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

const guide = () => page.getByRole('region', { name: 'Your first releases' })
const click = (name: string | RegExp) => page.getByRole('button', { name }).first().click()

/** Opens the overview and waits until the guide shows this progress. */
async function expectProgress(text: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click()
  await guide().getByText(text).waitFor()
}

async function deploy(tag: string): Promise<void> {
  await guide().getByRole('link', { name: 'Go to web' }).click()
  await page.getByLabel('Image').first().fill(tag)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('heading', { name: `web · production · ${tag}`, level: 1 }).waitFor()
}

/** Continues the release that is open at both of its pauses, and waits until it is live. */
async function continueTwice(): Promise<void> {
  await click('Continue: 0 % → 10 %')
  await click('Continue: 10 % → 100 %')
  await page.getByText('The new version is live.').first().waitFor()
}

test('the guide of the demo leads through a release, its pauses, a failure and a rollback', async ({ skip }) => {
  skip(browserPath === undefined, 'skipped: a browser')
  await page.goto(demo.url)
  await page.getByLabel('Email').fill(demo.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(demo.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await guide().getByText('0 of 5 done').waitFor()

  await deploy('2.0.0')
  await expectProgress('2 of 5 done') // released, and paused
  await guide().getByRole('link', { name: 'Open deployment' }).click()
  await continueTwice()

  await expectProgress('3 of 5 done')
  await deploy('3.0.0-crash')
  await expectProgress('4 of 5 done')

  await deploy('2.1.0')
  await continueTwice()
  await click('Roll back')
  const released = page.url()
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
  await page.waitForURL(({ href }) => href !== released) // the deployment of the rollback
  await expectProgress('5 of 5 done')
  await guide().getByRole('link', { name: 'Connect account' }).waitFor()
  await checkPage(page, 'the end of the guide')
  expect(complaints).toEqual([])
})

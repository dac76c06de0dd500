import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueGreen, pausing } from '../packages/server/src/testing/strategies.ts'
import { startStubServer } from '../packages/server/src/testing/stub-server.ts'
import { startWorld, type World } from '../packages/server/src/testing/world.ts'
import { browserPath, openBrowser } from './browser.ts'
import { checkPage } from './check-page.ts'
import { signedIn } from './signed-in.ts'

let world: World
let browser: Browser
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  world = await startWorld({ env: { SLUICE_OUTBOUND_ALLOW: '127.0.0.1' } })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

const needsBrowser = (skip: (condition: boolean, why: string) => void) =>
  skip(browserPath === undefined, 'skipped: a browser')

/** More than the number of tab stops of any page. */
const mostTabs = 60

/** Presses Tab until the target has the focus. */
async function tabTo(target: Locator): Promise<void> {
  await target.waitFor()
  const focused = target.and(target.page().locator(':focus'))
  for (let pressed = 0; (await focused.count()) === 0; pressed += 1) {
    if (pressed === mostTabs) throw new Error(`${target} is not reached with Tab`)
    await target.page().keyboard.press('Tab')
  }
}

async function press(target: Locator): Promise<void> {
  await tabTo(target)
  await target.page().keyboard.press('Enter')
}

async function write(target: Locator, text: string): Promise<void> {
  await tabTo(target)
  await target.page().keyboard.type(text)
}

test('a version is deployed and continued with the keyboard alone', async ({ skip }) => {
  needsBrowser(skip)
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_PRODUCTION_TRAFFIC_SHIFT']))
  const page = await signedIn({ world, browser, complaints }, org)
  await page.goto(`${world.url}/console/instances/${moduleInstanceId}`)
  await write(page.getByRole('textbox', { name: 'Image' }), 'shop/app:2.0.0')
  await press(page.getByRole('button', { name: 'Deploy', exact: true }))
  await page.getByText('Paused: waiting for you').waitFor()
  await press(page.getByRole('button', { name: 'Continue: 0 % → 100 %' }))
  await page.getByText('The new version is live.').waitFor()
  await page.context().close()
})

test('a step is approved with a comment with the keyboard alone', async ({ skip }) => {
  needsBrowser(skip)
  const org = await world.organization()
  const run = await org.pipelines.run([{ id: 'ask', type: 'approval', name: 'Go on with it' }])
  const page = await signedIn({ world, browser, complaints }, org)
  await page.goto(`${world.url}/`)
  await press(page.getByRole('link', { name: 'Go on with it' }))
  await page.waitForURL(new RegExp(run.id))
  // The overview stays until the run's page is loaded, and has a form for the same comment.
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor({ state: 'detached' })
  await write(page.getByRole('textbox', { name: 'Comment on “Go on with it”' }), 'Without a mouse')
  await press(page.getByRole('button', { name: 'Approve' }))
  await page.getByText(/^Approved by .*: Without a mouse$/).waitFor()
  await page.context().close()
})

test('a rejected run is retried without a step, and shows who skipped it and why', async ({ skip }) => {
  needsBrowser(skip)
  const org = await world.organization()
  const run = await org.pipelines.run([
    { id: 'ask', type: 'approval', name: 'Go on with it' },
    {
      id: 'smoke-test',
      type: 'command',
      name: 'Smoke test',
      needs: ['ask'],
      with: { shell: 'true' },
    },
  ])
  const page = await signedIn({ world, browser, complaints }, org)
  await page.goto(`${world.url}/console/runs/${run.id}`)
  await page.getByRole('button', { name: 'Reject' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
  await page.getByRole('button', { name: 'Retry without steps…' }).click()
  const form = page.getByRole('dialog', { name: 'Retry without steps' })
  await form.getByRole('checkbox', { name: 'Smoke test' }).waitFor()
  expect(await form.getByRole('checkbox').count(), 'steps that may be left out').toBe(1)
  await form.getByRole('textbox', { name: 'Reason' }).fill('The test environment is down until Monday.')
  await checkPage(page, 'retry without some steps')
  await form.getByRole('button', { name: 'Retry', exact: true }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/console/runs/') && !url.pathname.includes(run.id))
  await page.getByRole('button', { name: 'Approve' }).click()
  await page
    .getByRole('button', { name: /Smoke test/ })
    .first()
    .click()
  await page.getByText(/skipped it: The test environment is down until Monday\./).waitFor()
  await page.context().close()
})

test('while checks decide about a pause, the banner says so and asks no one', async ({ skip }) => {
  needsBrowser(skip)
  await using shop = await startStubServer()
  const checks = [{ name: 'smoke', http: { url: `${shop.url}/healthz` } }]
  const org = await world.organization({ deploy: { analysis: { interval: 3_600, count: 2, checks } } })
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT']))
  const { id } = await org.deploy(moduleInstanceId, 'shop/app:2.0.0')
  await org.untilPaused(id)
  const page = await signedIn({ world, browser, complaints }, org)
  await page.goto(`${world.url}/console/deployments/${id}`)
  await page.getByText('Paused: waiting for checks').waitFor()
  await page.getByText(/in \d h \d+ min at the earliest, at /).waitFor()
  await page.getByText('No action is needed.').waitFor()
  expect(await page.getByText('waiting for you').count()).toBe(0)
  await checkPage(page, 'a pause that checks decide')
  await page.goto(`${world.url}/`)
  await page.getByText('Nothing is waiting for a decision.').waitFor()
  await page.context().close()
})

test('no page threw an error', ({ skip }) => {
  needsBrowser(skip)
  expect(complaints).toEqual([])
})

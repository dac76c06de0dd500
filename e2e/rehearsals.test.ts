import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from '../packages/server/src/testing/world.ts'
import { browserPath, openBrowser } from './browser.ts'
import { checkPage } from './check-page.ts'
import { signedIn } from './signed-in.ts'

let world: World
let browser: Browser
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  world = await startWorld()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

test('the deploy form rehearses a release and shows how it ends in each scenario', async ({ skip }) => {
  skip(browserPath === undefined, 'skipped: a browser')
  const org = await world.organization()
  const { moduleInstanceId } = await org.service({ type: 'blue_green', bake_time_in_minutes: 5 })
  const page = await signedIn({ world, browser, complaints }, org, 'OWNER')
  await page.goto(`${world.url}/console/instances/${moduleInstanceId}`)
  await page.getByRole('textbox', { name: 'Image' }).fill('shop/app:2.0.0')

  await page.getByRole('button', { name: 'Rehearse', exact: true }).click()

  const scenarios = page.getByRole('table', { name: 'Scenarios' })
  const crash = scenarios.getByRole('row').filter({ hasText: 'The new version crashes' })
  await crash.getByText(/The release is rolled back/).waitFor({ timeout: 120_000 })
  await scenarios
    .getByRole('row')
    .filter({ hasText: 'Nothing goes wrong' })
    .getByText(/The release succeeds/)
    .waitFor()
  await checkPage(page, 'rehearsal')

  await crash.getByRole('button', { name: 'The new version crashes' }).click()
  const details = page.getByRole('region', { name: 'The new version crashes' })
  await details.getByRole('table', { name: 'Timeline' }).getByRole('row').filter({ hasText: 'Rolled back' }).waitFor()
  expect(new URL(page.url()).searchParams.get('scenario')).toBe('TASKS_CRASH')
  expect(await org.client.done('GET', `/deployments?moduleInstanceId=${moduleInstanceId}`)).toEqual([])
  expect(complaints).toEqual([])
})

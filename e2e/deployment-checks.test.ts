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

test('the deploy form checks a release and shows what would make it fail or wait', async ({ skip }) => {
  skip(browserPath === undefined, 'skipped: a browser')
  const org = await world.organization({ hasNetwork: true, deploy: { alarms: ['removed'] } })
  const { moduleInstanceId } = await org.service()
  await org.client.done('POST', '/holds', { data: { moduleInstanceId, reason: 'An incident.' } })
  const page = await signedIn({ world, browser, complaints }, org, 'OWNER')
  await page.goto(`${world.url}/console/instances/${moduleInstanceId}`)
  await page.getByRole('textbox', { name: 'Image' }).fill('shop/app:2.0.0')

  await page.getByRole('button', { name: 'Check', exact: true }).click()

  const result = page.getByRole('status').filter({ hasText: 'The deployment would fail' })
  await result
    .getByRole('region', { name: 'Findings' })
    .getByText(/The alarm removed does not exist/)
    .waitFor()
  await result.getByRole('region', { name: 'Findings' }).getByText('deploy.alarms', { exact: true }).waitFor()
  await result
    .getByRole('region', { name: 'Release gates' })
    .getByText(/An incident\./)
    .waitFor()
  await result
    .getByRole('region', { name: 'Not checked' })
    .getByText(/shop\/app:2\.0\.0/)
    .waitFor()
  await checkPage(page, 'checked release')
  expect(await org.client.done('GET', `/deployments?moduleInstanceId=${moduleInstanceId}`)).toEqual([])

  await page.getByRole('textbox', { name: 'Image' }).fill('shop/app:3.0.0')
  await result.waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

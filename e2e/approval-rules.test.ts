import type { Browser, Page } from 'playwright-core'
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

const open = async (page: Page, path: string) => {
  await page.goto(`${world.url}${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}

test('an approval rule makes a release wait until another member approves it', async ({ skip }) => {
  skip(browserPath === undefined, 'skipped: a browser')
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const [admin] = await Promise.all([org.member('ADMIN'), org.member('DEVELOPER')])
  const page = await signedIn({ world, browser, complaints }, org, 'ADMIN')
  await open(page, '/console/settings/approval-rules')
  await page.getByText('No approval rules here').waitFor()
  await page.getByRole('button', { name: 'Create approval rule' }).click()
  const form = page.getByRole('dialog', { name: 'Create approval rule' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Production')
  await form.getByRole('textbox', { name: 'Reason' }).fill('Customers are there.')
  await form.getByLabel('Exclude the person who started it').check()
  await checkPage(page, 'make an approval rule')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  const row = page.getByRole('group', { name: 'Production' })
  await row.getByText('1 from anyone with approval permission, not the person who started it').waitFor()
  await checkPage(page, 'approval rules')

  const release = { moduleInstanceId, description: 'Version 2', inputs: { image_ref: 'shop/app:2' } }
  const { id } = await admin.done<{ id: string }>('POST', '/deployments', { data: release })
  await open(page, `/console/deployments/${id}`)
  await page.getByText('Waiting for approval by others').waitFor()
  await page.getByText('You started it, and the rule asks others.').waitFor()
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)

  const developer = await signedIn({ world, browser, complaints }, org, 'DEVELOPER')
  await open(developer, `/console/deployments/${id}`)
  await developer.getByText('Waiting for your approval').waitFor()
  await developer.getByText('Production: 0 of 1').waitFor()
  await developer.getByRole('textbox', { name: 'Comment' }).fill('Looks right.')
  await checkPage(developer, 'a release that waits for approval')
  await developer.getByRole('button', { name: 'Approve' }).click()
  await developer.getByText('The new version is live.').waitFor()
  await page.getByText('The new version is live.').waitFor()

  await open(page, '/console/settings/approval-rules')
  await row.getByRole('button', { name: 'Delete Production' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No approval rules here').waitFor()
  await Promise.all([page.context().close(), developer.context().close()])
  expect(complaints).toEqual([])
})

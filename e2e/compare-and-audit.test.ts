import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestOrganization, type World } from '../packages/server/src/testing/world.ts'
import { browserPath, openBrowser } from './browser.ts'
import { checkPage } from './check-page.ts'
import { signedIn } from './signed-in.ts'
import { wireWordsOn } from './wire-words.ts'

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

test('any two releases are compared in one click from the history and from a release', async ({ skip }) => {
  needsBrowser(skip)
  const { moduleInstanceId } = await org.service()
  const versions = ['1.0.0', '2.0.0', '3.0.0']
  const ids: string[] = []
  for (const version of versions) {
    const { id } = await org.deploy(moduleInstanceId, `shop/app:${version}`)
    await org.untilStatus(id, 'SUCCESS')
    ids.push(id)
  }
  await page.goto(`${world.url}/console/instances/${moduleInstanceId}`)
  await page.getByRole('link', { name: 'Compare releases' }).click()
  await page.getByRole('table', { name: 'Version' }).getByRole('row', { name: 'Version 2.0.0 3.0.0' }).waitFor()
  await page.getByRole('combobox', { name: 'Before' }).click()
  await page.getByRole('option', { name: /^1\.0\.0/ }).click()
  await page.getByRole('table', { name: 'Version' }).getByRole('row', { name: 'Version 1.0.0 3.0.0' }).waitFor()
  await page.getByRole('columnheader', { name: 'Before (1.0.0)' }).first().waitFor()
  expect(new URL(page.url()).searchParams.get('from')).toBe(ids[0])
  expect(await wireWordsOn(page)).toEqual([])
  await checkPage(page, 'comparing releases')
  await page.getByRole('button', { name: 'Swap before and after' }).click()
  await page.getByRole('table', { name: 'Version' }).getByRole('row', { name: 'Version 3.0.0 1.0.0' }).waitFor()
  await page.reload()
  await page.getByRole('table', { name: 'Version' }).getByRole('row', { name: 'Version 3.0.0 1.0.0' }).waitFor()

  await page.goto(`${world.url}/console/deployments/${ids[2]}`)
  await page.getByRole('link', { name: 'Compare releases' }).click()
  await page.getByRole('table', { name: 'Version' }).getByRole('row', { name: 'Version 2.0.0 3.0.0' }).waitFor()
})

test('the audit log has sentences, the differences behind a fold, and JSON on request', async ({ skip }) => {
  needsBrowser(skip)
  const { moduleInstanceId } = await org.service()
  const { environmentId } = await org.client.done<{ environmentId: string }>(
    'GET',
    `/module-instances/${moduleInstanceId}`,
  )
  const data = { name: 'Two people', environmentId, requiredApprovals: 1 }
  const rule = await org.client.done<{ id: string }>('POST', '/approval-rules', { data })
  await org.client.done('PATCH', `/approval-rules/${rule.id}`, { data: { requiredApprovals: 2 } })
  await page.goto(`${world.url}/console/settings/audit-log`)
  await page.getByText(/raised “Required approvals” of the approval rule in .+ from 1 to 2$/).waitFor()
  await page.getByRole('button', { name: 'Changes', exact: true }).first().click()
  await page.getByRole('row', { name: 'Required approvals 1 2' }).waitFor()
  expect(await wireWordsOn(page)).toEqual([])
  await page.getByRole('button', { name: 'JSON' }).first().click()
  await page.getByText('"action": "approval-rules.update"').waitFor()
  await checkPage(page, 'audit log with a change')
  await page.getByRole('button', { name: 'History of this record' }).first().click()
  await page.waitForURL((url) => url.searchParams.get('resourceId') === rule.id)
  await page.getByText(/created the approval rule Two people$/).waitFor()
  await org.client.ask('DELETE', `/approval-rules/${rule.id}`)
})

test('settings are found by their names and by the labels of their fields', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/settings/members`)
  const pages = page.getByRole('navigation', { name: 'Settings' })
  await pages.getByRole('region', { name: 'Release gates settings' }).getByRole('link', { name: 'Freezes' }).waitFor()
  await pages.getByRole('searchbox', { name: 'Search settings' }).fill('warn only')
  await pages.getByRole('link', { name: /^Freezes/ }).waitFor()
  await pages.getByRole('link', { name: 'Members' }).waitFor({ state: 'detached' })
  await checkPage(page, 'searching settings')
  await pages.getByRole('searchbox', { name: 'Search settings' }).fill('no such thing')
  await pages.getByText('No settings found.').waitFor()
  await page.keyboard.press('Escape')
  await pages.getByRole('link', { name: 'Approval rules' }).click()
  await page.getByRole('button', { name: 'Create approval rule' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create approval rule' })
  await dialog.getByText(/^New releases in the scope wait/).waitFor()
  const button = dialog.getByRole('button', { name: 'Create', exact: true })
  const box = await button.boundingBox()
  const height = page.viewportSize()?.height ?? 0
  expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height)
  expect(complaints).toEqual([])
})

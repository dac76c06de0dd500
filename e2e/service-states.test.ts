import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestOrganization, type World } from '../packages/server/src/testing/world.ts'
import { untilPasses } from '../testing/until-passes.ts'
import { browserPath, openBrowser } from './browser.ts'
import { checkPage } from './check-page.ts'
import { signedIn } from './signed-in.ts'

let world: World
let org: TestOrganization
let browser: Browser
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  world = await startWorld()
  org = await world.organization()
  browser = await openBrowser()
  page = await signedIn({ world, browser, complaints }, org)
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

const needsBrowser = (skip: (condition: boolean, why: string) => void) =>
  skip(browserPath === undefined, 'skipped: a browser')

const notReleased = 'Running, not released by Sluice'

/** Text of a page, or of a mark whose short form stands for it. */
const said = (text: string) => page.getByText(text).or(page.getByRole('img', { name: text }))

test('every page says the same of a service: what runs, then what failed last', async ({ skip }) => {
  needsBrowser(skip)
  const { moduleInstanceId } = await org.service()
  const pages = ['/console/projects', '/console/environments', `/console/instances/${moduleInstanceId}`]
  for (const path of pages) {
    await page.goto(world.url + path)
    await said(notReleased).waitFor()
    await said('2 of 2 tasks').first().waitFor()
    await checkPage(page, `not released ${pages.indexOf(path)}`)
  }

  const good = await org.deploy(moduleInstanceId, 'shop/app:2.0.0')
  await org.untilStatus(good.id, 'SUCCESS')
  await org.deny('ecs:UpdateService')
  const bad = await org.deploy(moduleInstanceId, 'shop/app:3.0.0')
  await org.untilStatus(bad.id, 'ERROR')
  await org.deny()
  for (const path of [...pages, `/console/deployments/${bad.id}`, '/']) {
    await page.goto(world.url + path)
    await page.getByRole('link', { name: '2.0.0', exact: true }).waitFor()
    await page.getByRole('link', { name: '3.0.0 failed' }).waitFor()
    expect(await said(notReleased).count(), path).toBe(0)
    await checkPage(page, `failed ${path.length}`)
  }
})

test('activity is complete at first sight, across projects, and filtered in the address', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/activity`)
  await page.getByText('is live').waitFor()
  await checkPage(page, 'activity')
  await page.getByRole('searchbox', { name: 'Service' }).fill('nothing-like-it')
  await page.getByText('No recent activity').waitFor()
  await page.waitForURL(/service=nothing-like-it/)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('searchbox', { name: 'Person' }).fill('owner@')
  await page.getByText('is live').waitFor()
})

test('deployments are filtered and sorted, columns are selected, and the address keeps the view', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/deployments`)
  const table = page.getByRole('table', { name: 'Deployments' })
  const versions = async () => (await table.getByRole('row').allTextContents()).map((row) => /\d\.0\.0/.exec(row)?.[0])
  await table.getByText('3.0.0').waitFor()
  await checkPage(page, 'deployments table')
  expect(await versions()).toEqual([undefined, '3.0.0', '2.0.0'])
  await table.getByRole('button', { name: 'Version' }).click()
  await page.waitForURL(/sort=VERSION/)
  await table.getByRole('columnheader', { name: 'Version' }).and(page.locator('[aria-sort=ascending]')).waitFor()
  await untilPasses(async () => expect(await versions()).toEqual([undefined, '2.0.0', '3.0.0']))
  await page.getByRole('textbox', { name: 'Version' }).fill('3.0')
  await page.getByText('1 deployment', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Duration' }).click()
  await table.getByRole('columnheader', { name: 'Duration' }).waitFor({ state: 'detached' })
  await page.reload()
  await page.getByText('1 deployment', { exact: true }).waitFor()
  expect(await versions()).toEqual([undefined, '3.0.0'])
  expect(await table.getByRole('columnheader', { name: 'Duration' }).count()).toBe(0)
  const href = await page.getByRole('link', { name: 'Download CSV of deployments' }).getAttribute('href')
  const csv = await page.request.get(world.url + href)
  expect(await csv.text()).toMatch(/^deploymentId,[^\n]*\r?\ndep_[^\n]*,3\.0\.0,ERROR,false,[^\n]*\r?\n?$/)
})

test('a view is saved and shared, and another member opens it', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/deployments?version=3.0`)
  await page.getByText('1 deployment', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save view' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByLabel('Name').fill('Version three')
  await dialog.getByLabel('Share with all members').check()
  await checkPage(page, 'a view to save')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'View: Version three' }).waitFor()

  await org.member('VIEWER')
  const viewer = await signedIn({ world, browser, complaints }, org, 'VIEWER')
  await viewer.goto(`${world.url}/console/deployments`)
  await viewer.getByText('2 deployments', { exact: true }).waitFor()
  await viewer.getByRole('button', { name: 'Views' }).click()
  await viewer.getByRole('group', { name: 'Shared by others' }).waitFor()
  await viewer.getByRole('menuitem', { name: 'Version three · owner@' }).click()
  await viewer.getByText('1 deployment', { exact: true }).waitFor()
  await viewer.getByRole('button', { name: 'View: Version three' }).click()
  expect(await viewer.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0)

  await page.getByRole('button', { name: 'View: Version three' }).click()
  await page.getByRole('menuitem', { name: 'Delete “Version three”' }).click()
  await page.getByRole('button', { name: 'View: Version three' }).waitFor({ state: 'detached' })
  await page.getByText('1 deployment', { exact: true }).waitFor()
})

test('no page wrote an error to the console', ({ skip }) => {
  needsBrowser(skip)
  expect(complaints).toEqual([])
})

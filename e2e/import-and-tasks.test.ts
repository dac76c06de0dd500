import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createService, createStage } from '../packages/server/demo/cloud.ts'
import { memberships } from '../packages/server/src/identity/organizations/tables.ts'
import { eq } from '../packages/server/src/platform/db/drizzle.ts'
import { createGroup, untilReachable } from '../packages/server/src/testing/machine-group.ts'
import { signIn } from '../packages/server/src/testing/session.ts'
import { startWorld, type TestOrganization, type World } from '../packages/server/src/testing/world.ts'
import { browserPath, openBrowser, pageTimeoutMs } from './browser.ts'
import { checkPage } from './check-page.ts'

let world: World
let org: TestOrganization
let browser: Browser
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  world = await startWorld()
  org = await world.organization()
  const stage = await createStage(org.clients, 'legacy')
  await createService(org.clients, stage, { name: 'billing', image: 'legacy/billing:4.2.0', strategy: null })
  browser = await openBrowser()
  const [owner] = await world.db.select().from(memberships).where(eq(memberships.organizationId, org.id))
  if (!owner) throw new Error('an organization has an owner')
  const cookie = await signIn(world.db, { organizationId: org.id, membershipId: owner.id, userId: owner.userId })
  const [name = '', value = ''] = cookie.split('=')
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
  await context.addCookies([{ name, value, url: world.url }])
  page = await context.newPage()
  page.setDefaultTimeout(pageTimeoutMs)
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

const needsBrowser = (skip: (condition: boolean, why: string) => void) =>
  skip(browserPath === undefined, 'skipped: a browser')

test('a running service is discovered, previewed and imported', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/environments`)
  await page.getByRole('link', { name: 'Import services' }).click()
  await page.getByRole('heading', { name: 'Import services' }).waitFor()
  await page.getByRole('combobox', { name: 'Region' }).click()
  await page.getByRole('option', { name: /eu-west-1/ }).click()
  await page.getByRole('button', { name: 'Select billing' }).click()
  await page.getByText('4.2.0 · billing:1').waitFor()
  await page.getByText('deploymentCircuitBreaker').waitFor()
  await page.getByText(/inputs found/).click()
  await page.getByText('legacy/billing', { exact: true }).waitFor()
  await checkPage(page, 'import')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'billing · production' }).waitFor()
  await page.getByText('Ran already when it was imported.').waitFor()
  expect(complaints).toEqual([])
})

test('the page of an instance shows its running tasks and their logs', async ({ skip }) => {
  needsBrowser(skip)
  await page.getByRole('tab', { name: 'Tasks' }).click()
  const running = page.getByRole('table', { name: 'Running' })
  await running.getByText('Healthy').nth(1).waitFor()
  expect(await running.getByRole('row').count()).toBe(3)
  await running.getByText('eu-west-1a').waitFor()
  await running.getByRole('link', { name: '4.2.0' }).first().waitFor()
  await checkPage(page, 'tasks')
  await running
    .getByRole('button', { name: /^Log of/ })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('heading', { name: 'app' }).waitFor()
  await checkPage(page, 'log of a task')
  expect(complaints).toEqual([])
})

test('an Auto Scaling group shows each instance with its health, zone and version', async ({ skip }) => {
  needsBrowser(skip)
  const group = await createGroup(world, org, { size: 2 })
  const machines = await untilReachable(org, group, 2)
  const { id } = await org.deploy(group.moduleInstanceId, 'shop/workers:1.2.0')
  await org.untilStatus(id, 'SUCCESS')
  const watched = await page.context().newPage()
  await watched.goto(`${world.url}/console/instances/${group.moduleInstanceId}?tab=tasks`)
  const running = watched.getByRole('table', { name: 'Running' })
  await running.getByRole('columnheader', { name: 'Instance' }).waitFor()
  for (const machine of machines) {
    const row = running.getByRole('row').filter({ hasText: machine })
    for (const fact of ['Healthy', /^eu-west-1[a-c]$/]) await row.getByText(fact, { exact: true }).waitFor()
    await row.getByRole('link', { name: '1.2.0' }).waitFor()
  }
  await checkPage(watched, 'machines')
  await watched.close()
  expect(complaints).toEqual([])
})

test('a log line names its task and version, and the example of the filter is valid', async ({ skip }) => {
  needsBrowser(skip)
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: 'Logs' }).click()
  const log = page.getByRole('log')
  await log
    .getByText(/app [0-9a-f]{8} 4\.2\.0/)
    .first()
    .waitFor()
  const filter = page.getByRole('textbox', { name: 'Filter lines' })
  const [, example = ''] = /: (.*)$/.exec((await filter.getAttribute('placeholder')) ?? '') ?? []
  const answer = page.waitForResponse((response) => new URL(response.url()).searchParams.get('filter') === example)
  await filter.fill(example)
  expect((await answer).status()).toBe(200)
  await checkPage(page, 'log with versions')
  expect(complaints).toEqual([])
})

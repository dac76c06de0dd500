import type { Hold } from '@sluice/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestOrganization, type World } from '../packages/server/src/testing/world.ts'
import { untilPasses } from '../testing/until-passes.ts'
import { browserPath, openBrowser } from './browser.ts'
import { checkPage } from './check-page.ts'
import { makeManyServices } from './many-services.ts'
import { signedIn } from './signed-in.ts'

let world: World
let org: TestOrganization
let browser: Browser
let page: Page
let many: { projectId: string; environmentIds: string[] }
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  world = await startWorld()
  org = await world.organization()
  const other = await world.organization()
  many = await makeManyServices(world.db, other.id, { services: 300, releases: 11 })
  browser = await openBrowser()
  page = await signedIn({ world, browser, complaints }, other)
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

const needsBrowser = (skip: (condition: boolean, why: string) => void) =>
  skip(browserPath === undefined, 'skipped: a browser')

const row = (name: string | RegExp) => page.getByRole('row', { name })
const columns = () => page.getByRole('columnheader').allTextContents()

const visibleRows = `[...document.querySelectorAll('tbody tr')]
  .filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length`

const cutTexts = `[...document.querySelectorAll('table a, table span')]
  .filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)`

test('of 300 services in six environments, only the visible ones are drawn', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/projects/${many.projectId}`)
  await row(/accounts-000/).waitFor()
  await page.getByText('300 services in 6 environments').waitFor()
  for (const place of [1, 20]) {
    // Services with a failure come first.
    expect(
      await page
        .getByRole('row')
        .nth(place)
        .getByRole('link', { name: / failed/ })
        .count(),
    ).toBeGreaterThan(0)
  }
  expect(await page.getByRole('row').count()).toBeLessThan(60)
  await page.setViewportSize({ width: 1440, height: 900 })
  await untilPasses(async () => expect(await page.evaluate<number>(visibleRows)).toBeGreaterThanOrEqual(20))
  expect(await page.evaluate<string[]>(cutTexts)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('list', { name: 'Services' }).getByRole('link', { name: 'accounts-000' }).waitFor()
  expect(await page.getByRole('list', { name: 'Services' }).getByRole('listitem').count()).toBeLessThan(15)
  await page.setViewportSize({ width: 1280, height: 900 })
  await checkPage(page, 'what runs where')

  const region = page.getByRole('region', { name: 'Services and environments' })
  await region.focus()
  await untilPasses(async () => {
    await page.keyboard.press('End')
    expect(await row(/web-299/).count()).toBe(1)
  })
})

test('the name of a service leads to its page across all environments', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/projects/${many.projectId}`)
  await row(/accounts-000/)
    .getByRole('link', { name: 'accounts-000' })
    .click()
  await page.getByRole('heading', { name: 'accounts-000', level: 1 }).waitFor()
  const environments = page.getByRole('region', { name: 'Environments' }).getByRole('listitem')
  expect(await environments.count()).toBe(6)
  await environments.first().getByRole('link', { name: 'production', exact: true }).waitFor()
  const history = page.getByRole('table', { name: 'Deployments' })
  await history.getByText('staging').first().waitFor()
  await checkPage(page, 'a service')
  await environments.nth(1).getByRole('link', { name: 'metrics of staging' }).click()
  await page.waitForURL(/tab=metrics/)
  await page.goto(`${world.url}/console/projects/${many.projectId}/services/none`)
  await page.getByText('This project has no service with the ID none.').waitFor()
})

test('filters are kept in the address and applied on the server', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/projects/${many.projectId}`)
  await page.getByRole('searchbox', { name: 'Search services' }).fill('web-2')
  await page.getByText('10 services in 6 environments').waitFor()
  await page.waitForURL(/search=web-2/)
  await page.reload()
  await page.getByText('10 services in 6 environments').waitFor()
  await page.goto(`${world.url}/console/projects/${many.projectId}?state=PAUSED&by=grace`)
  await page
    .getByRole('link', { name: / · paused/ })
    .first()
    .waitFor()
  const shown = page.getByRole('status').filter({ hasText: 'services in' })
  expect(await shown.textContent()).not.toContain('300')
  await checkPage(page, 'what is paused')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('300 services in 6 environments').waitFor()
})

test('an action on several services lists what happens to each, and then each result', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/projects/${many.projectId}?search=web-0`)
  await page.getByText('10 services in 6 environments').waitFor()
  const names = (await page.getByRole('rowheader').allTextContents()).filter((name) => name.startsWith('web-'))
  await page.getByRole('checkbox', { name: `Select ${names[0]}` }).click()
  await page.getByRole('checkbox', { name: `Select ${names[2]}` }).click({ modifiers: ['Shift'] })
  const bar = page.getByRole('region', { name: 'Actions for selected services' })
  await bar.getByText('3 selected').waitFor()
  await checkPage(page, 'several services selected')
  await bar.getByRole('button', { name: 'Hold…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Hold services in production' })
  const entries = dialog.getByRole('listitem')
  expect(await entries.count()).toBe(3)
  expect(await dialog.getByRole('button', { name: 'Hold 3 services' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Prices are wrong.')
  await checkPage(page, 'a bulk action')
  await dialog.getByRole('button', { name: 'Hold 3 services' }).click()
  await dialog.getByText('3 of 3 done').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await row(names[0] ?? '')
    .getByRole('link', { name: /^Held by / })
    .waitFor()

  await bar.getByRole('button', { name: 'Hold…' }).click()
  await dialog.getByText('0 of 3 are possible').waitFor()
  await entries
    .first()
    .getByText(/^Already held by /)
    .waitFor()
})

test('a viewer cannot select services', async ({ skip }) => {
  needsBrowser(skip)
  const shop = await world.organization()
  await shop.service()
  await shop.member('VIEWER')
  const viewing = await signedIn({ world, browser, complaints }, shop, 'VIEWER')
  await viewing.goto(`${world.url}/console/projects`)
  await viewing.getByRole('rowheader').first().waitFor()
  expect(await viewing.getByRole('checkbox').count()).toBe(0)
  await viewing.context().close()
})

test('of 1,800 module instances, only the visible ones are drawn, and projects stay folded', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/environments`)
  const project = page.getByRole('region', { name: 'Many services' })
  await project.getByRole('link', { name: 'accounts-000', exact: true }).first().waitFor()
  const elements = () => page.evaluate<number>(`document.querySelectorAll('*').length`)
  expect(await elements()).toBeLessThan(5_000)
  await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight)`)
  await untilPasses(async () => {
    await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight)`)
    expect(await project.getByRole('link', { name: 'web-299', exact: true }).count()).toBeGreaterThan(0)
  })
  expect(await elements()).toBeLessThan(5_000)
  await page.evaluate(`scrollTo(0, 0)`)
  await checkPage(page, 'environments with many services')
  await project.getByRole('button', { name: 'Many services' }).click()
  await project.getByRole('link', { name: 'accounts-000', exact: true }).waitFor({ state: 'detached' })
  await page.reload()
  await project.getByRole('button', { name: 'Many services', expanded: false }).waitFor()
  expect(await page.getByRole('link', { name: 'accounts-000', exact: true }).count()).toBe(0)
  await project.getByRole('button', { name: 'Many services' }).click()
})

test('global search finds records from any page with the keyboard alone', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/settings/members`)
  const find = page.getByRole('combobox', { name: 'Search everything' })
  await page.getByRole('button', { name: 'Search', exact: false }).first().waitFor()
  await page.keyboard.press('Control+k')
  await find.pressSequentially('web-009 staging')
  await page.getByRole('option', { name: 'web-009 · staging' }).first().waitFor()
  await page.getByRole('group', { name: 'Deployments' }).waitFor()
  await checkPage(page, 'searching')
  await find.press('Enter')
  await page.getByRole('heading', { name: 'web-009 · staging' }).waitFor()

  await page.keyboard.press('/')
  await find.pressSequentially('logs web-009 prod')
  await page.getByRole('option', { name: 'Logs of web-009 · production' }).waitFor()
  await find.fill('no such thing')
  await page.getByText('No results.').waitFor()
  await find.fill('release web-009 prod')
  await page.getByRole('option', { name: 'Deploy web-009 · production' }).waitFor()
  await find.press('Enter')
  await page.getByRole('heading', { name: 'web-009 · production' }).waitFor()
  await page.keyboard.press('/')
  await find.pressSequentially('api keys')
  await page.getByRole('option', { name: 'API keys' }).click()
  await page.waitForURL(/settings\/api-keys/)
})

test('a number of a report links to its records, with 19,800 releases', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/reports`)
  const compared = page.getByRole('table', { name: 'Delivery comparison' })
  await compared.getByRole('link', { name: 'Many services' }).click()
  await page.waitForURL(/by=ENVIRONMENT/)
  const production = compared.getByRole('row', { name: /^production/ })
  await production.waitFor()
  await page.getByRole('img', { name: 'Deployment frequency' }).waitFor() // wait until it is drawn
  await checkPage(page, 'reports')
  const rate = production.getByRole('link', { name: /%$/ })
  await rate.click()
  await page.getByRole('heading', { name: 'Failed changes', level: 1 }).waitFor()
  const records = page.getByRole('table', { name: 'Failed changes' })
  await records.getByText('Failed').first().waitFor()
  await checkPage(page, 'records of a report')
  const href = await page.getByRole('link', { name: 'Download CSV of Failed changes' }).getAttribute('href')
  const table = await page.request.get(`${world.url}${href}`)
  expect((await table.text()).trim().split('\r\n')).toHaveLength(await records.getByRole('row').count())
  await page.goBack()
  await production.waitFor()
})

test('environments are reordered with the keyboard alone', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/projects/${many.projectId}`)
  await row(/accounts-000/).waitFor()
  expect((await columns()).slice(1, 3)).toEqual(['production', 'staging'])
  await page.getByRole('button', { name: 'Reorder environments' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Reorder environments' })
  await dialog.getByRole('button', { name: 'Move staging up' }).press('Enter')
  await checkPage(page, 'order of environments')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await untilPasses(async () => expect((await columns()).slice(1, 3)).toEqual(['staging', 'production']))
  await page.reload()
  await row(/accounts-000/).waitFor()
  expect((await columns()).slice(1, 3)).toEqual(['staging', 'production'])
})

test('a release is shown live', async ({ skip }) => {
  needsBrowser(skip)
  const { moduleInstanceId } = await org.service()
  const watched = await signedIn({ world, browser, complaints }, org)
  await watched.goto(`${world.url}/console/projects`)
  await watched.getByRole('img', { name: 'Running, not released by Sluice' }).waitFor() // opens the only project
  const { id } = await org.deploy(moduleInstanceId, 'shop/app:3.1.4')
  await watched.getByRole('link', { name: '3.1.4', exact: true }).waitFor()
  await org.untilStatus(id, 'SUCCESS')
  await watched.getByRole('link', { name: '3.1.4', exact: true }).click()
  await watched.getByText('The new version is live.').waitFor()
  await watched.context().close()
})

test('the holder of a service is shown live until the hold is lifted', async ({ skip }) => {
  needsBrowser(skip)
  const shop = await world.organization()
  const { moduleInstanceId } = await shop.service()
  const watched = await signedIn({ world, browser, complaints }, shop)
  await watched.goto(`${world.url}/console/projects`)
  await watched.getByRole('img', { name: 'Running, not released by Sluice' }).waitFor() // opens the only project
  const data = { moduleInstanceId, reason: 'Prices are wrong.' }
  const { id, heldBy } = await shop.client.done<Hold>('POST', '/holds', { data })
  await checkPage(watched, 'what is held')
  await watched.getByRole('link', { name: `Held by ${heldBy}` }).click()
  await watched.getByRole('status', { name: 'Holds' }).getByText('Prices are wrong.').waitFor()
  await checkPage(watched, 'an instance that is held')
  await shop.client.done('POST', `/holds/${id}/lift`, { data: { reason: 'Prices are right.' } })
  await watched.getByText(`Held by ${heldBy}`).waitFor({ state: 'detached' })
  await watched.context().close()
})

test('a release is promoted after a review of the differences, and rolled back to an earlier one', async ({ skip }) => {
  needsBrowser(skip)
  const shop = await world.organization()
  const [here, there] = [await shop.service(), await shop.service()]
  for (const image of ['shop/app:1.0.0', 'shop/app:2.0.0']) {
    await shop.untilStatus((await shop.deploy(there.moduleInstanceId, image)).id, 'SUCCESS')
  }
  const { id } = await shop.untilStatus((await shop.deploy(here.moduleInstanceId, 'shop/app:2.1.0')).id, 'SUCCESS')
  const releasing = await signedIn({ world, browser, complaints }, shop)
  await releasing.goto(`${world.url}/console/instances/${there.moduleInstanceId}?from=${id}`)
  await releasing.getByText('2.0.0 is live here now.').waitFor()
  await releasing.getByText('Different configuration').waitFor()
  await checkPage(releasing, 'releasing a version elsewhere')
  await releasing.getByRole('button', { name: 'Promote 2.1.0' }).click()
  await releasing.getByRole('heading', { name: / · production · 2\.1\.0$/ }).waitFor()
  await releasing.getByText('The new version is live.').waitFor()
  await checkPage(releasing, 'a release by its full name')

  await releasing.goto(`${world.url}/console/instances/${there.moduleInstanceId}`)
  await releasing.getByText('Live', { exact: true }).waitFor()
  await checkPage(releasing, 'a history')
  await releasing.getByRole('button', { name: 'Roll back to this release: 1.0.0' }).click()
  const dialog = releasing.getByRole('dialog', { name: 'Roll back 2.1.0 → 1.0.0' })
  await dialog.getByText('shop/app:1.0.0').waitFor()
  await dialog.getByRole('button', { name: 'Roll back' }).click()
  await releasing.getByText('The new version is live.').waitFor()
  await releasing.goto(`${world.url}/console/instances/${there.moduleInstanceId}`)
  await releasing.getByText('Rolled back 2.1.0 → 1.0.0').waitFor()
  await releasing.context().close()
})

test('no page threw an error', ({ skip }) => {
  needsBrowser(skip)
  expect(complaints).toEqual([])
})

import type { Freeze } from '@sluice/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueGreen, pausing } from '../packages/server/src/testing/strategies.ts'
import { startWorld, type TestOrganization, type World } from '../packages/server/src/testing/world.ts'
import { untilPasses } from '../testing/until-passes.ts'
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

const needsBrowser = (skip: (condition: boolean, why: string) => void) =>
  skip(browserPath === undefined, 'skipped: a browser')

const hourMs = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString()
/** Formats a time for a datetime field. The browser uses the same time zone as this machine. */
const fieldOf = (at: string) => new Date(at).toLocaleString('sv').replace(' ', 'T').slice(0, 16)

const freeze = (org: TestOrganization, more: object = {}) =>
  org.client.done<Freeze>('POST', '/freezes', {
    data: {
      name: 'Holidays',
      reason: 'Half of us are away.',
      window: { from: inHours(-1), until: inHours(48) },
      stops: ['RELEASES'],
      ...more,
    },
  })

const open = async (page: Page, path: string) => {
  await page.goto(`${world.url}${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}

test('a scheduled freeze makes a release wait and shows the reason until it is overridden', async ({ skip }) => {
  needsBrowser(skip)
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  await Promise.all([org.member('ADMIN'), org.member('DEVELOPER')])
  const page = await signedIn({ world, browser, complaints }, org, 'ADMIN')
  await open(page, '/console/settings/freezes')
  await page.getByText('No freezes here').waitFor()
  await page.getByRole('button', { name: 'Schedule freeze' }).click()
  const form = page.getByRole('dialog', { name: 'Schedule freeze' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Holidays')
  await form.getByRole('textbox', { name: 'Reason' }).fill('Half of us are away.')
  await form.getByLabel('Until').fill(fieldOf(inHours(-2)))
  await checkPage(page, 'plan a freeze')
  await form.getByRole('button', { name: 'Schedule', exact: true }).click()
  await untilPasses(async () => expect(await form.getByLabel('Until').getAttribute('aria-invalid')).toBe('true'))
  expect(await form.getByText(/expected a time after/).count()).toBeGreaterThan(0)
  complaints.length = 0 // the browser logs the error response
  await form.getByLabel('Until').fill(fieldOf(inHours(48)))
  await form.getByRole('button', { name: 'Schedule', exact: true }).click()
  const row = page.getByRole('group', { name: 'Holidays' })
  await row.getByText('Active').waitFor()
  await checkPage(page, 'freezes')

  await open(page, `/console/instances/${moduleInstanceId}`)
  await page.getByText(/^Frozen until .*: Half of us are away\. \(Holidays\)$/).waitFor()
  await page.getByRole('textbox', { name: 'Image' }).fill('shop/app:2.0.0')
  await page.getByText(/^This release will wait: Frozen until/).waitFor()
  await checkPage(page, 'a frozen instance')
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  const why = /Waits for the end of the freeze “Holidays”, until .*: Half of us are away\./
  await page.getByRole('status').filter({ hasText: why }).waitFor()
  await checkPage(page, 'a release that waits for a freeze')

  const developer = await signedIn({ world, browser, complaints }, org, 'DEVELOPER')
  await developer.goto(page.url())
  const notice = developer.getByRole('status').filter({ hasText: why })
  await notice.getByText('An admin or owner of the organization can override the freeze or lift it.').waitFor()
  expect(await developer.getByRole('button', { name: 'Override freeze… Holidays' }).count()).toBe(0)
  await checkPage(developer, 'a frozen release of which others decide')
  await open(developer, '/console/deployments')
  await developer.getByText(why).waitFor()

  await page.getByRole('button', { name: 'Override freeze… Holidays' }).click()
  const letting = page.getByRole('dialog', { name: 'Override “Holidays”' })
  await letting.getByRole('textbox', { name: 'Reason' }).fill('The shop is down.')
  await checkPage(page, 'letting past a freeze')
  await letting.getByRole('button', { name: 'Override', exact: true }).click()
  await page.getByText('The new version is live.').waitFor()
  await open(developer, `/console/instances/${moduleInstanceId}`)
  await developer.getByText(/^Override until .*: The shop is down\.$/).waitFor()
  await checkPage(developer, 'an instance that is let past')

  await open(page, '/console/settings/freezes')
  await row.getByRole('button', { name: 'Overrides' }).click()
  const overrides = page.getByRole('table', { name: 'Overrides of Holidays' })
  await overrides.getByText('The shop is down.').waitFor()
  await overrides.getByText('Active').waitFor()
  await checkPage(page, 'what was let past')
  await Promise.all([page.context().close(), developer.context().close()])
  expect(complaints).toEqual([])
})

test('a freeze disables Continue with its reason, and the end of the freeze enables it without a reload', async ({
  skip,
}) => {
  needsBrowser(skip)
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_PRODUCTION_TRAFFIC_SHIFT']))
  const { id } = await org.deploy(moduleInstanceId, 'shop/app:2.0.0')
  const page = await signedIn({ world, browser, complaints }, org)
  await open(page, `/console/deployments/${id}`)
  const goOn = page.getByRole('button', { name: 'Continue: 0 % → 100 %' })
  await goOn.waitFor()
  await page.getByText('Paused: waiting for you').waitFor()
  const { id: freezeId } = await freeze(org, { stops: ['CONTINUES'] })
  await page.getByText('Paused: blocked by a freeze').waitFor()
  expect(await goOn.getAttribute('aria-disabled')).toBe('true')
  expect(await goOn.getAttribute('aria-description')).toMatch(/^Frozen until .*: Half of us are away\. \(Holidays\)$/)
  await checkPage(page, 'a pause that is frozen')
  const data = { moduleInstanceId, reason: 'It must go on.' }
  await org.client.done('POST', `/freezes/${freezeId}/overrides`, { data })
  await page.getByText('Paused: waiting for you').waitFor()
  await goOn.click()
  await page.getByText('The new version is live.').waitFor()
  await page.context().close()
  expect(complaints).toEqual([])
})

test('an upcoming freeze is shown, with one request for the whole page', async ({ skip }) => {
  needsBrowser(skip)
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  await org.service()
  const { projectId } = await org.client.done<{ projectId: string }>('GET', `/module-instances/${moduleInstanceId}`)
  await freeze(org, { projectId, window: { from: inHours(2.01), until: inHours(5) } })
  await freeze(org, { name: 'Refusing', stops: ['RELEASES', 'ROLLBACKS'], onRelease: 'REJECT', moduleInstanceId })
  const page = await signedIn({ world, browser, complaints }, org)
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/freezes') && asked.push(request.url()))
  await open(page, '/console/environments')
  await page
    .getByText(/Freeze starts in 2 hours, until .*: Half of us are away\. \(Holidays\)/)
    .first()
    .waitFor()
  await checkPage(page, 'environments of which a freeze begins')
  expect(asked).toHaveLength(1)

  await open(page, `/console/projects/${projectId}`)
  await page.getByText(/^Applies only to part of this page:/).waitFor()
  await checkPage(page, 'a project that is frozen in part')
  await open(page, `/console/instances/${moduleInstanceId}`)
  const deploy = page.getByRole('button', { name: 'Deploy', exact: true })
  await untilPasses(async () => expect(await deploy.getAttribute('aria-description')).toMatch(/\(Refusing\)$/))
  await page.getByText(/^This release would be rejected: Frozen until/).waitFor()
  await page.context().close()
  expect(complaints).toEqual([])
})

test('a weekly freeze is scheduled, edited and lifted; a viewer sees it and which role is required', async ({
  skip,
}) => {
  needsBrowser(skip)
  const org = await world.organization()
  await org.member('VIEWER')
  const viewer = await signedIn({ world, browser, complaints }, org, 'VIEWER')
  await open(viewer, '/console/settings/freezes')
  await viewer.getByText('You can’t manage freezes here. This requires the admin role. Your role is viewer.').waitFor()
  const plan = viewer.getByRole('button', { name: 'Schedule freeze' })
  await untilPasses(async () =>
    expect(await plan.getAttribute('aria-description')).toBe('This requires the admin role. Your role is viewer.'),
  )

  const page = await signedIn({ world, browser, complaints }, org)
  await open(page, '/console/settings/freezes')
  await page.getByRole('button', { name: 'Schedule freeze' }).click()
  const form = page.getByRole('dialog', { name: 'Schedule freeze' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Weekends')
  await form.getByRole('combobox', { name: 'Schedule' }).click()
  await page.getByRole('option', { name: 'Weekly' }).click()
  await form.getByRole('combobox', { name: 'Time zone' }).fill('Berlin')
  await page.getByRole('option', { name: 'Europe/Berlin' }).click()
  await form.getByRole('checkbox', { name: 'Continuing paused releases' }).check()
  await checkPage(page, 'plan a freeze of weekends')
  await form.getByRole('button', { name: 'Schedule', exact: true }).click()
  const row = page.getByRole('group', { name: 'Weekends' })
  await row.getByText('every Friday 16:00 Berlin, for 2 d 16 h').waitFor()
  await row.getByText('releases and continuing paused releases').waitFor()

  const seen = viewer.getByRole('group', { name: 'Weekends' })
  await seen.getByText('every Friday 16:00 Berlin, for 2 d 16 h').waitFor() // updated live
  expect(await seen.getByRole('button', { name: 'Lift Weekends' }).getAttribute('aria-disabled')).toBe('true')
  await checkPage(viewer, 'freezes as a viewer sees them')

  await row.getByRole('button', { name: 'Edit Weekends' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Weekends' })
  await edit.getByLabel(/^Start time/).fill('17:30')
  await edit.getByRole('button', { name: 'Save' }).click()
  await row.getByText('every Friday 17:30 Berlin, for 2 d 16 h').waitFor()
  await row.getByRole('button', { name: 'Lift Weekends' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Lift' }).click()
  await page.getByText('No freezes here').waitFor()
  await viewer.getByText('No freezes here').waitFor()
  await Promise.all([page.context().close(), viewer.context().close()])
  expect(complaints).toEqual([])
})

test('a hold on an instance makes a newer release wait, and lifting it starts the release', async ({ skip }) => {
  needsBrowser(skip)
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  await Promise.all([org.member('DEVELOPER'), org.member('VIEWER')])
  const page = await signedIn({ world, browser, complaints }, org, 'DEVELOPER')
  await open(page, `/console/instances/${moduleInstanceId}`)
  await page.getByRole('button', { name: /^Hold .*…$/ }).click()
  const form = page.getByRole('dialog', { name: /^Hold / })
  await form.getByRole('textbox', { name: 'Reason' }).fill('Prices have been wrong since 2.4.')
  await checkPage(page, 'hold an instance')
  await form.getByRole('button', { name: 'Hold', exact: true }).click()
  const held = page.getByRole('status', { name: 'Holds' })
  await held.getByText('Prices have been wrong since 2.4.').waitFor()

  const { id } = await org.deploy(moduleInstanceId)
  await open(page, `/console/instances/${moduleInstanceId}`)
  await checkPage(page, 'a held instance')
  await held.getByRole('button', { name: /^Lift hold…/ }).click()
  const release = page.getByRole('dialog', { name: 'Lift hold' })
  await release.getByRole('textbox', { name: 'Reason' }).fill('Prices are right again.')
  await release.getByRole('button', { name: 'Lift hold', exact: true }).click()
  await held.waitFor({ state: 'detached' })
  expect(await org.untilStatus(id, 'SUCCESS', 'ERROR')).toMatchObject({ status: 'SUCCESS' })

  const viewer = await signedIn({ world, browser, complaints }, org, 'VIEWER')
  await open(viewer, `/console/instances/${moduleInstanceId}`)
  const button = viewer.getByRole('button', { name: /^Hold .*…$/ })
  expect(await button.getAttribute('aria-disabled')).toBe('true')
})

test('an environment is held as a whole, and its hold rule is edited', async ({ skip }) => {
  needsBrowser(skip)
  const org = await world.organization()
  await org.service()
  await org.member('ADMIN')
  const page = await signedIn({ world, browser, complaints }, org, 'ADMIN')
  await open(page, '/console/environments')
  await page.getByRole('button', { name: /^Edit hold rule of / }).click()
  const rule = page.getByRole('dialog', { name: /^Hold rule of / })
  await rule.getByRole('checkbox', { name: 'Hold instances after a rollback' }).check()
  await checkPage(page, 'a hold rule')
  await rule.getByRole('button', { name: 'Save' }).click()
  await rule.waitFor({ state: 'detached' })
  const [environment] = await org.client.done<{ id: string }[]>('GET', '/environments')
  expect(await org.client.done('GET', `/environments/${environment?.id}/hold-rule`)).toEqual({
    afterRollback: true,
    mode: 'ENFORCE',
  })
  await page.getByRole('button', { name: /^Hold .*…$/ }).click()
  const form = page.getByRole('dialog', { name: /^Hold / })
  await form.getByRole('textbox', { name: 'Reason' }).fill('Everybody is at the all-hands.')
  await form.getByRole('button', { name: 'Hold', exact: true }).click()
  await page.getByRole('status', { name: 'Holds' }).getByText('Everybody is at the all-hands.').waitFor()
  await checkPage(page, 'a held environment')
})

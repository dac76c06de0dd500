import type { NotificationChannel } from '@sluice/contract'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buttonsOf, sendPress, startSlack, textOf } from '../packages/server/src/testing/slack.ts'
import { startStubServer } from '../packages/server/src/testing/stub-server.ts'
import { startWorld, type World } from '../packages/server/src/testing/world.ts'
import { untilPasses } from '../testing/until-passes.ts'
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

test('an admin adds a channel, redelivers a test, and edits, disables and deletes the channel', async ({ skip }) => {
  needsBrowser(skip)
  await using server = await startStubServer(() => ({ text: 'ok' }))
  const org = await world.organization()
  await org.service()
  await org.member('ADMIN')
  const page = await signedIn({ world, browser, complaints }, org, 'ADMIN')
  await page.goto(`${world.url}/console/settings/notifications`)
  await page.getByText('No channels yet').waitFor()
  await page.getByRole('button', { name: 'Add channel' }).click()
  const form = page.getByRole('dialog', { name: 'Add channel' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Releases')
  await form.getByLabel('Slack webhook URL').fill(`${server.url}/hook/secret-part`)
  await checkPage(page, 'add a channel')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  const row = page.getByRole('group', { name: 'Releases' })
  await row.getByRole('button', { name: 'Send test to Releases' }).click()
  const deliveries = page.getByRole('region', { name: 'Deliveries of Releases' })
  await deliveries.getByText('Delivered').waitFor()
  await deliveries.getByRole('button', { name: 'Redeliver' }).click()
  await untilPasses(async () => expect(await deliveries.getByText('Delivered').count()).toBe(2))
  expect(server.received.map(({ path }) => path)).toEqual(['/hook/secret-part', '/hook/secret-part'])
  expect(await page.content()).not.toContain('secret-part')
  await checkPage(page, 'channels')

  await row.getByRole('button', { name: 'Edit Releases' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Releases' })
  await edit.getByRole('checkbox', { name: 'Deployment succeeded' }).check()
  await edit.getByRole('button', { name: 'Add quiet hours' }).click()
  await edit.getByRole('group', { name: 'Quiet hours 1' }).getByLabel('Until').fill('07:30')
  await checkPage(page, 'quiet hours')
  await edit.getByRole('button', { name: 'Save' }).click()
  await row.getByText(/Deployment succeeded/).waitFor()
  await row.getByText(/quiet from 19:00 to 07:30 \(every day\)/).waitFor()
  await row.getByRole('button', { name: 'Disable Releases' }).click()
  await row.getByText('Disabled').waitFor()
  const test = row.getByRole('button', { name: 'Send test to Releases' })
  expect(await test.getAttribute('aria-description')).toContain('Enable it first')
  await row.getByRole('button', { name: 'Enable Releases' }).click()
  await row.getByRole('button', { name: 'Delete Releases' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No channels yet').waitFor()
  expect(complaints).toEqual([])
})

test('an owner enables message buttons, and links and unlinks the Slack account that pressed one', async ({ skip }) => {
  needsBrowser(skip)
  await using slack = await startSlack()
  const org = await world.organization()
  const page = await signedIn({ world, browser, complaints }, org, 'OWNER')
  await page.goto(`${world.url}/console/settings/notifications`)
  await page.getByRole('button', { name: 'Add channel' }).click()
  const form = page.getByRole('dialog', { name: 'Add channel' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Releases')
  await form.getByLabel('Slack webhook URL').fill(slack.webhook)
  await form.getByLabel('Slack app signing secret').fill(slack.signingSecret)
  await checkPage(page, 'add a channel with buttons')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  const row = page.getByRole('group', { name: 'Releases' })
  await row.getByText('On', { exact: true }).waitFor()
  await row.getByText(/\/slack-interactions$/).waitFor()
  await checkPage(page, 'a channel with buttons')
  expect(await page.content()).not.toContain(slack.signingSecret)

  const [channel] = await org.client.done<NotificationChannel[]>('GET', '/notification-channels')
  await org.pipelines.run([{ id: 'ask', type: 'approval' }])
  await untilPasses(async () => expect(slack.messages().flatMap(buttonsOf).length).toBe(2))
  const [button = { action_id: '', value: '' }] = slack.messages().flatMap(buttonsOf)
  const user = slack.user('olga')
  if (channel) await sendPress(channel, world.url, slack.pressOf(user, button))
  await untilPasses(async () => expect(slack.answers(user).length).toBe(1))
  const [answer] = slack.answers(user)
  const [, link = ''] = /<([^|]+)\|Link your Slack account>/.exec(answer ? textOf(answer) : '') ?? []
  await page.goto(link)
  await page.getByText(`olga (${user.id}) in shop (T0SLUICE)`).waitFor()
  await checkPage(page, 'link an account at Slack')
  await page.getByRole('button', { name: 'Link account' }).click()
  await page.getByText(/Return to Slack/).waitFor()
  await page.goto(`${world.url}/console/settings/slack`)
  await page.getByRole('cell', { name: `olga (${user.id}) in shop (T0SLUICE)`, exact: true }).waitFor()
  await checkPage(page, 'linked accounts at Slack')
  await page.getByRole('button', { name: /^Unlink olga/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
  await page.getByText('No linked accounts yet').waitFor()

  await page.goto(`${world.url}/console/settings/notifications`)
  await row.getByRole('button', { name: 'Edit Releases' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Releases' })
  await edit.getByRole('checkbox', { name: /Remove the signing secret/ }).check()
  await edit.getByRole('button', { name: 'Save' }).click()
  await row.getByText('Off (messages have links)').waitFor()
  expect(complaints).toEqual([])
})

test('a webhook secret is shown once, and email names the missing server setting', async ({ skip }) => {
  needsBrowser(skip)
  const org = await world.organization()
  await org.member('ADMIN')
  const page = await signedIn({ world, browser, complaints }, org, 'ADMIN')
  await page.goto(`${world.url}/console/settings/notifications`)
  await page.getByRole('button', { name: 'Add channel' }).click()
  const form = page.getByRole('dialog', { name: 'Add channel' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Our program')
  await form.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Email' }).click()
  await form.getByRole('textbox', { name: 'Other email addresses' }).fill('on-call@example.com')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await form.getByText(/SLUICE_SMTP_URL/).waitFor()
  complaints.length = 0 // the browser logs the error response
  await form.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Signed webhook' }).click()
  await form.getByRole('textbox', { name: 'URL' }).fill('https://hooks.example.com/sluice')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText(/^whsec_/).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('group', { name: 'Our program' }).getByText('https://hooks.example.com/sluice').waitFor()
  expect(complaints).toEqual([])
})

test('a member without permission sees which role channels require', async ({ skip }) => {
  needsBrowser(skip)
  const org = await world.organization()
  await org.member('DEVELOPER')
  const page = await signedIn({ world, browser, complaints }, org, 'DEVELOPER')
  await page.goto(`${world.url}/console/settings/notifications`)
  await page.getByText('Only admins can view notification channels').waitFor()
  await page.getByText('This requires the admin role. Your role is developer.').waitFor()
  await checkPage(page, 'channels of others')
  expect(complaints).toEqual([])
})

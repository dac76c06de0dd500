import type { Policy } from '@sluice/contract'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
  world = await startWorld()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

test('a version that a policy rejects is saved with an override, which the versions show', async ({ skip }) => {
  skip(browserPath === undefined, 'skipped: a browser')
  const org = await world.organization()
  await org.service()
  await Promise.all([org.member('ADMIN'), org.member('DEVELOPER')])
  const pipeline = await org.pipelines.create({ steps: [{ id: 'first', type: 'approval' }] })
  const data = {
    name: 'Ask first',
    guards: 'PIPELINE_VERSIONS',
    message: 'Ask for a decision first.',
    expression: "pipeline.steps.exists(step, step.type == 'approval')",
  }
  const { id: policyId } = await org.client.done<Policy>('POST', '/policies', { data })
  const page = await signedIn({ world, browser, complaints }, org, 'ADMIN')
  const developer = await signedIn({ world, browser, complaints }, org, 'DEVELOPER')
  for (const own of [developer, page]) {
    await own.goto(`${world.url}/console/pipelines/${pipeline.id}?tab=configuration`)
    await own.getByRole('textbox', { name: 'Configuration' }).click()
    await own.keyboard.press('ControlOrMeta+a')
    await own.keyboard.insertText('{"steps": [{"id": "hello", "type": "command", "with": {"argv": ["echo"]}}]}')
    await own
      .getByRole('alert')
      .getByText(/the policy “Ask first” \(version 1\): Ask for a decision first\./)
      .first()
      .waitFor()
  }
  const offered = developer.getByRole('button', { name: 'Override policy… Ask first' })
  await untilPasses(async () => expect(await offered.getAttribute('aria-disabled')).toBe('true'))
  await checkPage(developer, 'a version that a policy refuses, of which others decide')
  complaints.length = 0 // the browser logs the error responses

  await page.getByRole('button', { name: 'Override policy… Ask first' }).click()
  const letting = page.getByRole('dialog', { name: 'Override “Ask first”' })
  await letting.getByRole('textbox', { name: 'Reason' }).fill('The shop is down.')
  await checkPage(page, 'letting a version past a policy')
  await letting.getByRole('button', { name: 'Override', exact: true }).click()
  await page.getByRole('status', { name: 'Dry run' }).getByText('Compared with version 1:').waitFor()
  await page.getByRole('button', { name: 'Save as version 2' }).click()
  await page.getByText('Configuration, based on version 2').waitFor()
  await page.getByRole('tab', { name: 'Versions' }).click()
  await page.getByText(/Override by .*: The shop is down\./).waitFor()
  await checkPage(page, 'versions of which one was let past a policy')

  const given = await org.client.done<object[]>('GET', `/policies/${policyId}/overrides`)
  expect(given).toMatchObject([{ pipelineId: pipeline.id, reason: 'The shop is down.' }])
  await page.goto(`${world.url}/console/settings/policies`)
  const row = page.getByRole('group', { name: 'Ask first' })
  await row.getByRole('button', { name: 'Overrides' }).click()
  const overrides = page.getByRole('table', { name: 'Overrides of Ask first' })
  await overrides.getByRole('link').waitFor()
  await row.getByRole('button', { name: 'Override policy… Ask first' }).click()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Scope' }).click()
  await page.getByRole('option', { name: 'Release' }).click()
  await checkPage(page, 'letting pipelines past a policy')
  await Promise.all([page.context().close(), developer.context().close()])
  expect(complaints).toEqual([])
})

import { randomBytes, randomInt } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createService, createStage, type ServiceInput, shopRoles } from '../packages/server/demo/cloud.ts'
import { createOrganization } from '../packages/server/src/identity/organizations/bootstrap.ts'
import { memberships } from '../packages/server/src/identity/organizations/tables.ts'
import { newApiKey } from '../packages/server/src/platform/auth/api-key.ts'
import { eq } from '../packages/server/src/platform/db/drizzle.ts'
import { connectRolePolicy } from '../packages/server/src/testing/connect-role.ts'
import { signIn } from '../packages/server/src/testing/session.ts'
import { startWorld, type World } from '../packages/server/src/testing/world.ts'
import { untilPasses } from '../testing/until-passes.ts'
import { browserPath, openBrowser, pageTimeoutMs } from './browser.ts'
import { checkPage } from './check-page.ts'

const accountNumber = String(randomInt(1e11, 1e12 - 1)).padStart(12, '1')
const roleArn = `arn:aws:iam::${accountNumber}:role/sluice`

let world: World
/** Service in the account that the organization connects. */
let service: ServiceInput
let browser: Browser
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  world = await startWorld()
  const owner = { email: 'olga@new.example', fullName: 'Olga Owner' }
  const { organizationId } = await createOrganization(world.db, {
    name: 'New',
    givenId: 'new',
    owner,
    token: newApiKey(),
  })
  service = await serviceInTheAccount(organizationId)
  browser = await openBrowser()
  page = await signedIn(organizationId)
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

async function serviceInTheAccount(organizationId: string): Promise<ServiceInput> {
  const externalId = randomBytes(16).toString('hex')
  const ownerArn = `arn:aws:iam::${accountNumber}:role/owner`
  await world.cloud.putRole({ roleArn: ownerArn, externalId })
  for (const role of shopRoles(accountNumber)) await world.cloud.putRole(role)
  const account = { id: 'ca_owner', organizationId, roleArn: ownerArn, externalId }
  const clients = world.access.clientsFor(account, 'eu-west-1')
  const stage = await createStage(clients, 'shop')
  return createService(clients, stage, { name: 'web', image: 'shop/web:1', strategy: null })
}

async function signedIn(organizationId: string): Promise<Page> {
  const [owner] = await world.db.select().from(memberships).where(eq(memberships.organizationId, organizationId))
  if (!owner) throw new Error('an organization has an owner')
  const cookie = await signIn(world.db, { organizationId, membershipId: owner.id, userId: owner.userId })
  const [name = '', value = ''] = cookie.split('=')
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
  await context.addCookies([{ name, value, url: world.url }])
  const opened = await context.newPage()
  opened.setDefaultTimeout(pageTimeoutMs)
  opened.on('pageerror', ({ message }) => complaints.push(message))
  return opened
}

const needsBrowser = (skip: (condition: boolean, why: string) => void) =>
  skip(browserPath === undefined, 'skipped: a browser')

const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
const box = (name: string) =>
  page.getByRole('textbox', { name, exact: true }).or(page.getByRole('combobox', { name, exact: true }))
const go = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
const steps = () => page.getByRole('region', { name: 'Get started' })
const firstReleases = () => page.getByRole('region', { name: 'Your first releases' })

/** Calls the API as the owner. */
async function ask(method: 'GET' | 'POST', path: string, data?: unknown) {
  const options = { method, headers: { origin: world.url }, ...(data !== undefined && { data: { data } }) }
  const answer = await page.request.fetch(world.url + path, options)
  if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`)
  return (await answer.json()).data
}

test('a new organization is guided to connect an account and to create a project and environment', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(world.url)
  await steps().getByText('0 of 4 done').waitFor()
  await checkPage(page, 'an empty organization')
  await page.getByRole('link', { name: 'Connect account' }).click()
  await click('Add account')
  await box('Name').fill('Production')
  await untilPasses(async () => expect(await box('ID').inputValue()).toBe('production'))
  await click('Continue')
  const dialog = page.getByRole('dialog', { name: 'Connect Production' })
  const externalId = (await dialog.locator('pre').first().textContent()) ?? ''
  await world.cloud.putRole({ roleArn, externalId, policy: connectRolePolicy(roleArn) })
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByLabel('Role ARN').fill(roleArn)
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('Connected', { exact: true }).waitFor()

  await go('Overview')
  await steps().getByText('1 of 4 done').waitFor()
  await click('Create project')
  await box('Name').fill('Web shop')
  await click('Create')
  await steps().getByText('2 of 4 done').waitFor()
  await click('Create environment')
  await box('Name').fill('Production')
  await click('Create')
  await steps().getByText('3 of 4 done').waitFor()
  await checkPage(page, 'the first steps, half done')
})

test('the guide leads to an instance of a bundled module and its first deployment', async ({ skip }) => {
  needsBrowser(skip)
  await page.getByRole('link', { name: 'Choose a module' }).click()
  await page.getByText('No modules published yet').waitFor()
  await checkPage(page, 'the modules that come along')
  await click('Publish Container service')
  await box('Name').fill('Web')
  await box('Cluster').fill(service.cluster_arn)
  await box('Service').fill(service.service_arn)
  await box('Image repository').fill('registry.example/shop/web')
  await box('Execution role').fill(service.execution_role_arn)
  await click('Create')
  await heading('Web · Production').waitFor()
  await go('Overview')
  await firstReleases().getByText('0 of 5 done').waitFor()
  await checkPage(page, 'the guide to the first releases')
  await page.getByRole('link', { name: 'Go to Web' }).click()
  await box('Image').fill('2.0.0')
  await checkPage(page, 'a service that is to be released')
  await click('Deploy')
  await page.getByText('The new version is live.').first().waitFor()
  await go('Overview')
  await page.getByRole('region', { name: 'In progress' }).waitFor()
  await firstReleases().getByText('1 of 5 done').waitFor()
  expect(await steps().count()).toBe(0)
  await click('Hide guide')
  await untilPasses(async () => expect(await firstReleases().count()).toBe(0))
})

test('a rejected field gets the focus, and entries are not discarded without asking', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(`${world.url}/console/settings/projects`)
  await click('Create project')
  await box('Name').fill('Web shop')
  await click('Create')
  await untilPasses(async () => expect(await box('ID').getAttribute('aria-invalid')).toBe('true'))
  await untilPasses(async () => expect(await page.locator(':focus').getAttribute('name')).toBe('givenId'))
  await checkPage(page, 'a form that is refused')
  await click('Cancel')
  await page.getByText('Your changes aren’t saved.').waitFor()
  await click('Keep editing')
  await box('ID').fill('second-shop')
  await page.keyboard.press('Escape')
  await click('Discard')
  await untilPasses(async () => expect(await page.getByRole('dialog').count()).toBe(0))
  expect(await ask('GET', '/projects')).toHaveLength(1)
})

test('leaving a page with unsaved entries asks first', async ({ skip }) => {
  needsBrowser(skip)
  const [instance] = await ask('GET', '/module-instances')
  await page.goto(`${world.url}/console/instances/${instance.id}?tab=inputs`)
  await box('Image repository').fill('registry.example/shop/other')
  await go('Deployments')
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.waitFor()
  await checkPage(page, 'leaving with unsaved changes')
  await click('Stay')
  expect(await box('Image repository').inputValue()).toBe('registry.example/shop/other')
  await page.getByRole('tab', { name: 'Releases' }).click()
  await question.waitFor()
  await click('Stay')
  expect(await box('Image repository').inputValue()).toBe('registry.example/shop/other')
  await go('Deployments')
  await click('Leave')
  await heading('Deployments').waitFor()
})

test('a module is edited and published, and the next version shows its impact on instances', async ({ skip }) => {
  needsBrowser(skip)
  await go('Modules')
  await checkPage(page, 'modules')
  await click('Create module')
  await box('Name').fill('Queue worker')
  await untilPasses(async () => expect(await box('Type').inputValue()).toBe('queue-worker'))
  await click('Create')
  await heading('Queue worker').waitFor()
  await page.getByText('The dry run found no problems.').waitFor()
  await box('Release notes').fill('The first.')
  await click('Publish 1.0.0')
  await page.getByRole('region', { name: 'Configuration, based on version 1.0.0' }).waitFor()

  const [definition] = (await ask('GET', '/module-definitions?type=queue-worker')) as { id: string }[]
  const [environment] = (await ask('GET', '/environments')) as { id: string }[]
  const place = { environmentId: environment?.id, moduleDefinitionId: definition?.id }
  await ask('POST', '/module-instances', { ...place, givenId: 'jobs', name: 'Jobs', input: { name: 'jobs' } })

  const editor = page.getByRole('textbox', { name: 'Configuration' })
  await editor.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('  - { id: size, label: Size, type: strnig, required: true }')
  await page.getByRole('list', { name: 'Problems' }).waitFor()
  await checkPage(page, 'a module with a fault')
  for (let typed = 0; typed < 'nig, required: true }'.length; typed += 1) await page.keyboard.press('Backspace')
  await page.keyboard.type('ing, required: true }')
  await page.getByText('Requires a value for size.').waitFor()
  await checkPage(page, 'what a version means for whom')
  await box('Release notes').fill('Sizes.')
  await click('Publish 1.1.0')
  await page.getByRole('region', { name: 'Configuration, based on version 1.1.0' }).waitFor()
  await page.getByRole('tab', { name: 'Versions' }).click()
  await page.getByRole('textbox', { name: 'Differences' }).getByText(/size/).first().waitFor()
  await checkPage(page, 'versions of a module')
  await page.getByRole('tab', { name: 'Used by' }).click()
  await page.getByText('1.0.0, not the latest version').waitFor()
  await page.getByRole('link', { name: 'Jobs' }).click()
  await page.getByRole('tab', { name: 'Inputs' }).click()
  await click('Review upgrade')
  await click('Upgrade to 1.1.0')
  await untilPasses(async () => expect(await box('Size').getAttribute('aria-invalid')).toBe('true'))
  await checkPage(page, 'moving to another version')
  await box('Size').fill('large')
  await click('Upgrade to 1.1.0')
  await page.getByText('Module version 1.1.0 is available').waitFor({ state: 'detached' })
})

test('a function is deployed from an archive or from an image', async ({ skip }) => {
  needsBrowser(skip)
  await go('Modules')
  await click('Publish Function')
  await heading('Function').waitFor()
  const [definition] = (await ask('GET', '/module-definitions?type=function')) as { id: string }[]
  const [environment] = (await ask('GET', '/environments')) as { id: string }[]
  const function_arn = `arn:aws:lambda:eu-west-1:${accountNumber}:function:mailer`
  const place = { environmentId: environment?.id, moduleDefinitionId: definition?.id }
  const kinds = [
    { name: 'Mailer', input: { artifact_bucket: 'artifacts' }, shown: 'Archive', hidden: 'Image' },
    { name: 'Resizer', input: { package_type: 'image', image_repository: 'a' }, shown: 'Image', hidden: 'Archive' },
  ]
  for (const { name, input, shown, hidden } of kinds) {
    const made = { ...place, givenId: name.toLowerCase(), name, input: { function_arn, ...input } }
    const { id } = await ask('POST', '/module-instances', made)
    await page.goto(`${world.url}/console/instances/${id}`)
    await box(shown).waitFor()
    expect(await box(hidden).count()).toBe(0)
  }
})

test('no page threw an error', ({ skip }) => {
  needsBrowser(skip)
  expect(complaints).toEqual([])
})

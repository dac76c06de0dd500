import { spawnSync } from 'node:child_process'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilPasses } from '../testing/until-passes.ts'
import { browserPath, openBrowser, pageTimeoutMs } from './browser.ts'
import { checkPage } from './check-page.ts'
import { type Demo, startDemo } from './demo.ts'

const hasTool = ['terraform', 'tofu'].some((tool) => spawnSync(tool, ['version']).status === 0)

let demo: Demo
let browser: Browser
let owner: Page
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  demo = await startDemo()
  browser = await openBrowser()
  owner = await newPage()
  await signIn(owner, demo.email, demo.password)
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

/** Opens a page with its own session, signed out. */
async function newPage(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
  page.setDefaultTimeout(pageTimeoutMs)
  page.on('pageerror', ({ message }) => complaints.push(message))
  return page
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto(demo.url)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await click(page, 'Sign in')
  await heading(page, 'Overview').waitFor()
}

const needsBrowser = (skip: (condition: boolean, why: string) => void) =>
  skip(browserPath === undefined, 'skipped: a browser')

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const go = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()

async function settings(page: Page, name: string): Promise<void> {
  await page.goto(`${demo.url}/console/settings`)
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name }).click()
  await heading(page, name).waitFor()
}

/** Calls the API as the owner. */
async function ask(method: 'GET' | 'POST', path: string, data?: unknown) {
  const options = { method, headers: { origin: demo.url }, ...(data !== undefined && { data: { data } }) }
  const answer = await owner.request.fetch(demo.url + path, options)
  if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`)
  return answer.json()
}

/** Checks that long lists are virtualized, so that the cost of a search doesn't grow with the list. */
async function onlyWhatIsInSightIsDrawn(): Promise<void> {
  expect(await owner.locator('*').count(), 'elements of the page').toBeLessThan(2_000)
}

/** Opens the demo's pipeline and starts a run. */
async function startRun(image: string, queues: number): Promise<void> {
  await go(owner, 'Pipelines')
  await owner.getByRole('region', { name: 'All pipelines' }).getByRole('link', { name: 'Release' }).click()
  await click(owner, 'Start run')
  await owner.getByLabel('Image').fill(image)
  await owner.getByLabel('Queues').fill(String(queues))
  await owner.getByRole('button', { name: /^Run version/ }).click()
  await owner.waitForURL(/\/console\/runs\//)
}

test('a pipeline is edited: problems are marked, changes are listed, and a version is saved', async ({ skip }) => {
  needsBrowser(skip)
  await go(owner, 'Pipelines')
  await checkPage(owner, 'pipelines')
  await owner.getByRole('link', { name: 'Release' }).first().click()
  await owner.getByRole('tab', { name: 'Configuration' }).click()
  const editor = owner.getByRole('textbox', { name: 'Configuration' })
  await editor.click()
  await owner.keyboard.press('Control+End')
  await owner.keyboard.type('\n  - id: pause\n')
  await owner.keyboard.type('type: aproval')
  await owner
    .getByRole('list', { name: 'Problems' })
    .getByText(/did you mean approval\?/)
    .waitFor()
  await untilPasses(async () =>
    expect(await owner.locator('.cm-lintRange-error').allTextContents()).toContain('aproval'),
  )
  await checkPage(owner, 'a configuration with a fault')
  for (let typed = 0; typed < 'aproval'.length; typed += 1) await owner.keyboard.press('Backspace')
  await owner.keyboard.type('appr')
  await owner.getByRole('option', { name: /approval/ }).click()
  const patch = owner.getByRole('status', { name: 'Dry run' })
  await patch.getByText('steps › pause').waitFor()
  await patch.getByText('Added').waitFor()
  const warning = owner.getByText('Comments are not saved')
  expect(await warning.count()).toBe(0)
  await owner.keyboard.type(' # for a while')
  await warning.waitFor()
  await checkPage(owner, 'a configuration with its patch')
  await click(owner, 'Save as version 2')
  await owner.getByRole('region', { name: 'Configuration, based on version 2' }).waitFor()
  await warning.waitFor({ state: 'detached' })
  await owner.getByRole('tab', { name: 'Versions' }).click()
  await owner.getByRole('textbox', { name: 'Differences' }).getByText(/pause/).waitFor()
  await checkPage(owner, 'versions')
})

test('a plan of 5,000 resources is searched without lag and rejected with a comment', async ({ skip }) => {
  needsBrowser(skip)
  skip(!hasTool, 'skipped: terraform')
  await startRun('3.0.0', 5_000)
  await owner.getByText('5001 resources').waitFor()
  await onlyWhatIsInSightIsDrawn()
  await owner.getByLabel('Search resources').fill('queue[4321]')
  await owner.getByText('1 resource', { exact: true }).waitFor()
  await owner.getByRole('button', { name: 'terraform_data.queue[4321]' }).click()
  await owner.getByText('shop-queue-4322').waitFor()
  await checkPage(owner, 'a run with a plan')
  await owner.getByLabel('Comment on').fill('Too many queues')
  await click(owner, 'Reject')
  await owner.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
  // The dialog with the same text may still be closing.
  await owner.getByRole('region', { name: 'Apply the plan' }).getByText('Too many queues', { exact: true }).waitFor()
})

test('an invited viewer sees a plan but cannot approve it; the owner can', async ({ skip }) => {
  needsBrowser(skip)
  skip(!hasTool, 'skipped: terraform')
  await settings(owner, 'Members')
  await click(owner, 'Invite member')
  await owner.getByLabel('Email').fill('vera@sluice.example')
  await owner.getByRole('dialog').getByLabel('Role').first().click()
  await owner.getByRole('option', { name: /^Viewer/ }).click()
  await click(owner, 'Invite')
  const link = (await owner.getByRole('dialog').locator('pre').textContent()) ?? ''
  await click(owner, 'Done')
  await checkPage(owner, 'members')

  const viewer = await newPage()
  await viewer.goto(link)
  await checkPage(viewer, 'join')
  await viewer.getByLabel('Your name').fill('Vera')
  await viewer.getByRole('textbox', { name: 'Password' }).fill('a viewer only looks')
  await click(viewer, 'Join')
  await heading(viewer, 'Sign in').waitFor()
  await signIn(viewer, 'vera@sluice.example', 'a viewer only looks')

  await startRun('3.1.0', 3)
  await viewer.goto(owner.url())
  await viewer.getByText('terraform_data.queue[2]').waitFor()
  await viewer
    .getByText(/^Output queues: .* [(]new[)]$/)
    .first()
    .waitFor()
  const approve = viewer.getByRole('button', { name: 'Approve' })
  await approve.and(viewer.locator('[aria-disabled=true]')).waitFor()
  // Until the viewer's permissions are loaded, the button is disabled and gives no reason.
  await untilPasses(async () =>
    expect(await approve.getAttribute('aria-description')).toContain('Your roles here don’t allow this'),
  )
  await checkPage(viewer, 'a run, to a viewer')

  await owner.getByRole('button', { name: /terraform_data.queue\[2\]/ }).click()
  await owner.getByText('shop-queue-3').waitFor()
  await owner.getByLabel('Comment on').fill('Three are enough')
  await click(owner, 'Approve')
  const steps = owner.getByRole('navigation', { name: 'Steps' })
  await steps.getByRole('button', { name: /Apply the plan Success/ }).click()
  await owner.getByText(/^Approved by .*: Three are enough$/).waitFor()
  await owner.getByText(/Apply complete/).waitFor()
  await owner.getByLabel('Search log').fill('creation complete')
  await owner.getByText(/^1 of \d/).waitFor()
  await checkPage(owner, 'a log')
})

test('a log of 100,000 lines is followed in color and searched without lag', async ({ skip }) => {
  needsBrowser(skip)
  const shell = [
    'i=0',
    'while [ $i -lt 100000 ]; do echo "line $i of many"; i=$((i+1)); done',
    "printf '\\033[33mthe end\\033[0m\\n'",
  ].join('\n')
  const { data: projects } = await ask('GET', '/projects')
  const pipeline = { projectId: projects[0].id, givenId: 'long-log', name: 'Long log' }
  const { data: made } = await ask('POST', '/pipelines', pipeline)
  const config = { steps: [{ id: 'write', type: 'command', with: { shell } }] }
  await ask('POST', '/pipeline-versions', { pipelineId: made.id, config })
  const { data: run } = await ask('POST', '/pipeline-runs', { pipelineId: made.id })
  await owner.goto(`${demo.url}/console/runs/${run.id}`)
  const end = owner.getByText('the end', { exact: true })
  await end.waitFor()
  expect(await end.getAttribute('class')).toContain('yellow')
  await owner.getByText(/100,00\d lines/).waitFor()
  await onlyWhatIsInSightIsDrawn()
  await owner.getByLabel('Search log').fill('line 77777 of')
  await owner.getByText('1 of 1').waitFor()
  await owner.getByText('line 77777 of many').waitFor()
  await onlyWhatIsInSightIsDrawn()
})

test('an API key is created, shown once, used and revoked', async ({ skip }) => {
  needsBrowser(skip)
  await settings(owner, 'API keys')
  await click(owner, 'Create API key')
  await owner.getByLabel('Name').fill('from the test')
  await click(owner, 'Create')
  const token = (await owner.getByRole('dialog').locator('pre').textContent()) ?? ''
  const asks = async () =>
    (await fetch(`${demo.url}/auth/whoami`, { headers: { authorization: `Bearer ${token}` } })).status
  expect(await asks()).toBe(200)
  await checkPage(owner, 'a key that is shown once')
  await click(owner, 'Done')
  await untilPasses(async () => expect(await owner.getByText(token).count()).toBe(0))
  await checkPage(owner, 'API keys')
  await click(owner, 'Revoke from the test')
  await click(owner, 'Revoke')
  await owner.getByText('from the test', { exact: true }).waitFor({ state: 'detached' })
  await untilPasses(async () => expect(await asks()).toBe(401))
})

test('a default value is set at one level and inherited below it', async ({ skip }) => {
  needsBrowser(skip)
  await settings(owner, 'Default values')
  await click(owner, 'Create key')
  await owner.getByLabel('Name').fill('chat_url')
  await click(owner, 'Create')
  await owner.getByRole('cell', { name: 'chat_url', exact: true }).waitFor()
  await click(owner, 'Set')
  await owner.getByRole('textbox', { name: 'chat_url' }).fill('https://chat.example')
  await click(owner, 'Save')
  await owner.getByText('"https://chat.example"').waitFor()
  await owner.getByRole('combobox', { name: 'Level' }).click()
  await owner
    .getByRole('option', { name: /\(environment\)/ })
    .first()
    .click()
  await owner.getByText('from Demo').waitFor()
  await checkPage(owner, 'defaults')
})

test('an execution environment changes its region and network, and problems appear at their fields', async ({
  skip,
}) => {
  needsBrowser(skip)
  const { data: accounts } = await ask('GET', '/cloud-accounts')
  const made = { givenId: 'runners', name: 'Runners', cloudAccountId: accounts[0].id, region: 'eu-west-1' }
  const network = { subnetIds: ['subnet-1'], securityGroupIds: [] }
  const { data } = await ask('POST', '/execution-environments', { ...made, network })
  await settings(owner, 'Execution environments')
  await click(owner, 'Edit Runners')
  const form = owner.getByRole('dialog')
  const region = form.getByLabel('Region')
  await region.fill('nowhere')
  await form.getByRole('button', { name: 'Save' }).click()
  await untilPasses(async () => expect(await region.getAttribute('aria-invalid')).toBe('true'))
  await form.locator('p', { hasText: /^expected text that matches .*, such as eu-west-1$/ }).waitFor()
  await checkPage(owner, 'an execution environment that is refused')
  await region.fill('eu-central-1')
  await form.getByLabel('Subnets').first().fill('subnet-2')
  await owner.keyboard.press('Enter')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  await owner.getByText(/eu-central-1 · subnet-1, subnet-2/).waitFor()
  expect((await ask('GET', `/execution-environments/${data.id}`)).data).toMatchObject({
    ...made,
    region: 'eu-central-1',
    network: { ...network, subnetIds: ['subnet-1', 'subnet-2'] },
  })
})

test('a team is created and granted a role, and an environment is restricted to granted roles', async ({ skip }) => {
  needsBrowser(skip)
  await settings(owner, 'Access')
  await click(owner, 'Create team')
  await owner.getByRole('textbox', { name: 'Name' }).fill('payments')
  await click(owner, 'Create')
  await owner.getByRole('row', { name: /payments/ }).waitFor()
  await owner
    .getByRole('button', { name: /^Grant role on/ })
    .last()
    .click()
  await owner.getByRole('combobox', { name: 'Member or team' }).fill('payments')
  await owner.getByRole('option', { name: 'payments' }).click()
  await click(owner, 'Grant')
  await owner.getByRole('cell', { name: /^Deployer/ }).waitFor()
  await owner.getByRole('switch').last().click()
  await untilPasses(async () => expect(await owner.getByRole('switch').last().isChecked()).toBe(true))
  await checkPage(owner, 'Access with a team')
  await owner.getByRole('switch').last().click()
  await untilPasses(async () => expect(await owner.getByRole('switch').last().isChecked()).toBe(false))
})

test('an organization is created, opened, renamed and deleted after confirmation, and the deletion is cancelled', async ({
  skip,
}) => {
  needsBrowser(skip)
  await settings(owner, 'Organization')
  const limits = owner.getByRole('table', { name: 'Limits' })
  await limits
    .getByRole('row', { name: /deployments that wait/ })
    .getByRole('cell', { name: '0', exact: true })
    .waitFor()
  await click(owner, 'Create organization')
  await owner.getByRole('dialog').getByLabel('Name').fill('Harbour')
  await click(owner, 'Create')
  await owner.getByRole('dialog').waitFor({ state: 'detached' })
  const list = owner.getByRole('table', { name: 'Your organizations' })
  await list.getByRole('row', { name: /\(current\)/ }).waitFor()
  await checkPage(owner, 'an organization')
  const entrance = await list.getByRole('link', { name: 'Harbour' }).getAttribute('href')

  const page = await newPage()
  await page.goto(new URL(entrance ?? '', demo.url).href)
  await page.getByLabel('Email').fill(demo.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(demo.password)
  await click(page, 'Sign in')
  await heading(page, 'Overview').waitFor()
  await settings(page, 'Organization')
  await click(page, 'Rename')
  await page.getByRole('dialog').getByLabel('Name').fill('Harbour Two')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('row', { name: /^Harbour Two \(current\)/ }).waitFor()

  const confirm = async (name: string) => {
    await page
      .getByRole('dialog')
      .getByLabel(/to confirm/)
      .fill(name)
    await click(page, 'Delete')
  }
  await click(page, 'Delete organization')
  await confirm('Harbour')
  await page.getByRole('dialog').getByRole('alert').waitFor()
  await confirm('Harbour Two')
  const ending = page.getByRole('alert', { name: 'Deletion scheduled' })
  await ending.getByText(/read-only until everything in it is deleted/).waitFor()
  await page.getByRole('row', { name: /^Harbour Two \(current\), deletion scheduled/ }).waitFor()
  await checkPage(page, 'an organization that is to be deleted')
  await click(page, 'Cancel deletion')
  await ending.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete organization' }).waitFor()
  await page.close()
})

test('the other settings pages load without errors', async ({ skip }) => {
  needsBrowser(skip)
  for (const place of ['Access', 'Service accounts', 'Code sources', 'Execution environments', 'Audit log']) {
    await settings(owner, place)
    await checkPage(owner, place)
  }
  await settings(owner, 'Cloud accounts')
  await click(owner, 'Test connection')
  await owner.getByText(/accepts only requests with the external ID/).waitFor()
  await checkPage(owner, 'Cloud accounts')
  await click(owner, 'Change role')
  await owner.getByText('Trust policy').last().waitFor()
  await checkPage(owner, 'connecting an account')
})

test('the audit log is filtered by the address, links to records and is exported', async ({ skip }) => {
  needsBrowser(skip)
  await owner.goto(`${demo.url}/console/settings/audit-log?resourceType=deployment`)
  await owner.getByRole('link', { name: 'View deployment' }).first().waitFor()
  await owner.getByRole('combobox', { name: 'Action' }).fill('started deployment')
  await owner.getByRole('option', { name: 'Started deployment' }).click()
  await owner.waitForURL(/action=deployments\.create/)
  await owner.reload()
  await owner.getByText(/^[\d,]+ events?\. Events are kept for 400 days\.$/).waitFor()
  expect(await owner.getByRole('combobox', { name: 'Action' }).inputValue()).toBe('Started deployment')
  await owner.getByText('started a deployment').first().waitFor()
  await owner.getByRole('button', { name: 'Details' }).first().click()
  await owner
    .getByRole('row', { name: /^Service/ })
    .first()
    .waitFor()
  await owner.getByRole('button', { name: 'JSON' }).first().click()
  await owner.getByText('"action": "deployments.create"').waitFor()
  await checkPage(owner, 'Audit log narrowed')
  const href = await owner.getByRole('link', { name: 'Export' }).getAttribute('href')
  const answer = await owner.request.get(demo.url + href)
  const lines = (await answer.text()).trim().split('\n')
  expect(new Set(lines.map((line) => JSON.parse(line).action))).toEqual(new Set(['deployments.create']))
  await owner.getByRole('link', { name: 'View deployment' }).first().click()
  await owner.getByRole('region', { name: 'Stages' }).getByText('requested it').waitFor()
  await checkPage(owner, 'Decisions about a deployment')
})

test('only the member named in a link can continue at the Git host', async ({ skip }) => {
  needsBrowser(skip)
  const { organizationId, organizationName, membershipId } = (await ask('GET', '/auth/whoami')).data
  const page = (member: string) =>
    `${demo.url}/console/git-hosts/githosta?${new URLSearchParams({ organizationId, membershipId: member })}`
  await owner.goto(page(membershipId))
  await owner.getByRole('button', { name: 'Continue to GitHub' }).waitFor()
  await owner.getByText(organizationName).first().waitFor()
  await checkPage(owner, 'Going on to a git host')
  await owner.goto(page('mem_of_somebody_else'))
  await owner.getByText('This link is for someone else').waitFor()
  expect(await owner.getByRole('button', { name: 'Continue to GitHub' }).count()).toBe(0)
  await checkPage(owner, 'A link for somebody else')
})

test('no page threw an error', ({ skip }) => {
  needsBrowser(skip)
  expect(complaints).toEqual([])
})

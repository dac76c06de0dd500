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
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  if (browserPath === undefined) return
  demo = await startDemo()
  browser = await openBrowser()
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
  page.setDefaultTimeout(pageTimeoutMs)
  page.on('pageerror', ({ message }) => complaints.push(message))
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

const needsBrowser = (skip: (condition: boolean, why: string) => void) =>
  skip(browserPath === undefined, 'skipped: a browser')

const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 })
const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
const go = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()

/** Calls the API with the session of the page. */
async function ask(method: 'GET' | 'POST' | 'PATCH', path: string, data?: unknown): Promise<Record<string, string>> {
  const headers = { origin: demo.url }
  const answer = await page.request.fetch(demo.url + path, {
    method,
    headers,
    ...(data !== undefined && { data: { data } }),
  })
  if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`)
  return (await answer.json()).data
}

/** Opens another page with the same session. */
async function another(): Promise<Page> {
  const context = await browser.newContext({ storageState: await page.context().storageState() })
  const opened = await context.newPage()
  opened.setDefaultTimeout(pageTimeoutMs)
  opened.on('pageerror', ({ message }) => complaints.push(message))
  return opened
}

/** Returns the ID of an instance of the demo. */
async function instance(name: string): Promise<string> {
  const instances = await page.request.get(`${demo.url}/module-instances?limit=100`)
  const { data } = (await instances.json()) as { data: { id: string; name: string }[] }
  return data.find((one) => one.name === name)?.id ?? ''
}

/** Deploys a new image to an instance of the demo and returns the ID of the deployment. */
async function deploy(name: string): Promise<string> {
  const { id = '' } = await ask('POST', '/deployments', {
    moduleInstanceId: await instance(name),
    description: 'From the test',
    inputs: { image_ref: '2.0.0' },
  })
  return id
}

test('a member signs in, and a wrong password shows an error', async ({ skip }) => {
  needsBrowser(skip)
  await page.goto(demo.url)
  await heading('Sign in').waitFor()
  await page.getByText('The demo prints its email and password').waitFor()
  await checkPage(page, 'sign-in')
  await page.getByLabel('Email').fill(demo.email)
  await page.getByRole('textbox', { name: 'Password' }).fill('wrong')
  await click('Sign in')
  await page.getByRole('alert').waitFor()
  await page.getByRole('textbox', { name: 'Password' }).fill(demo.password)
  await click('Sign in')
  await heading('Overview').waitFor()
  await page.getByText('Nothing is waiting for a decision.').waitFor()
  await checkPage(page, 'overview')
})

test('a canary deployment pauses twice and is continued to the end', async ({ skip }) => {
  needsBrowser(skip)
  await go('Environments')
  await page.getByRole('link', { name: 'web', exact: true }).waitFor()
  await checkPage(page, 'environments')
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByLabel('Image').fill('2.0.0')
  await checkPage(page, 'module instance')
  await click('Deploy')
  for (const percent of [0, 10]) {
    await page.getByText('Paused: waiting for you').waitFor()
    await page.getByText(`Production traffic: ${100 - percent} % previous, ${percent} % new`).waitFor()
    await page.getByText('Paused at PRE_PRODUCTION_TRAFFIC_SHIFT until').first().waitFor()
    expect(await page.getByText(/\d{4}-\d\d-\d\dT/).count(), 'moments are by the reader’s clock').toBe(0)
    await checkPage(page, `deployment at ${percent} %`)
    const next = percent === 0 ? '0 % → 10 %' : '10 % → 100 %'
    await page.getByRole('button', { name: /^Roll back/ }).waitFor()
    await click(`Continue: ${next}`)
    // Waits for the button, because the next pause has the same text.
    await page.getByRole('button', { name: `Continue: ${next}` }).waitFor({ state: 'detached' })
  }
  await page.getByText('The new version is live.').waitFor()
  await page.getByRole('button', { name: 'Roll back' }).waitFor()
  await go('Deployments')
  await page.getByRole('link', { name: /web/ }).waitFor()
  await checkPage(page, 'deployments')
})

test('a plan is approved and its run continues', async ({ skip }) => {
  needsBrowser(skip)
  skip(!hasTool, 'skipped: terraform')
  const headers = { origin: demo.url }
  const pipelines = await (await page.request.get(`${demo.url}/pipelines`)).json()
  const data = {
    pipelineId: pipelines.data.find(({ givenId }: { givenId: string }) => givenId === 'release').id,
    description: 'From the test',
    inputs: { image_ref: '2.1.0' },
  }
  expect((await page.request.post(`${demo.url}/pipeline-runs`, { headers, data: { data } })).status()).toBe(201)
  await go('Overview')
  await page.getByText('Apply the plan, then release 2.1.0 to production?').waitFor()
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  for (const fact of ['web · production · Shop', 'Create 3', 'image_ref 2.1.0', 'From the test', demo.email]) {
    await waiting.getByText(fact).first().waitFor()
  }
  await waiting.getByRole('button', { name: 'Approve' }).waitFor()
  await checkPage(page, 'an approval on the overview')
  await page.getByRole('link', { name: 'Apply the plan' }).click()
  await heading('Release').waitFor()
  await click('Approve')
  const apply = page.getByRole('region', { name: 'Apply the plan' })
  await apply.getByText('Success', { exact: true }).waitFor()
  await apply.getByText(/Apply complete/).waitFor()
  await checkPage(page, 'a run')
  await go('Pipelines')
  await page.getByText('From the test').waitFor()
  await checkPage(page, 'pipelines')
})

test('a run shows the deployments of its steps, and which step continues a paused one', async ({ skip }) => {
  needsBrowser(skip)
  const projects = await (await page.request.get(`${demo.url}/projects`)).json()
  const pipeline = { projectId: projects.data[0].id, givenId: 'releases', name: 'Releases' }
  const { id: pipelineId } = await ask('POST', '/pipelines', pipeline)
  const inputs = { image_ref: '2.2.0' }
  const steps = [
    {
      id: 'standby',
      type: 'deploy',
      with: { module_instance_id: await instance('jobs'), until: 'paused', inputs },
    },
    { id: 'swap', type: 'deploy-swap', approval: { message: 'Take over?' } },
    { id: 'release', type: 'deploy', with: { module_instance_id: await instance('api'), inputs } },
  ]
  await ask('POST', '/pipeline-versions', { pipelineId, config: { steps } })
  const { id: runId } = await ask('POST', '/pipeline-runs', { pipelineId })
  await page.goto(`${demo.url}/console/runs/${runId}`)
  const [standby, swap, release] = ['standby', 'swap', 'release'].map((name) => page.getByRole('region', { name }))
  if (!standby || !swap || !release) throw new Error('there are three steps')

  await swap.getByText('Paused: this step continues with the deployment').waitFor()
  expect(await swap.getByRole('tab').allTextContents()).toEqual(['Deployment', 'Values'])
  await checkPage(page, 'a swap that waits for approval')
  await page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name: 'standby' }).click()
  await standby.getByText('Paused until the step “swap”').waitFor()
  await checkPage(page, 'a release at standby')
  await standby.getByRole('link', { name: 'View that step' }).click()
  await click('Approve')
  await page.getByText('approved the step swap').waitFor()

  await page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name: 'release' }).click()
  await release.getByText('Paused: waiting for you').waitFor()
  expect(await release.getByRole('tab').allTextContents()).toEqual(['Deployment', 'Values'])
  await checkPage(page, 'a release of a run')
  await release.getByRole('button', { name: /^Continue/ }).waitFor()
  await release.getByRole('button', { name: /^Roll back/ }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Roll back/ })
    .click()
  await page.getByText('Rolled back', { exact: true }).first().waitFor()
})

test('environments can be searched and navigated with the keyboard', async ({ skip }) => {
  needsBrowser(skip)
  await go('Environments')
  await page.getByRole('link', { name: 'web', exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Search module instances' }).fill('container')
  const cards = page.locator('[data-card]')
  await page.keyboard.press('ArrowDown')
  await untilPasses(async () => expect(await cards.first().evaluate((card) => card.matches(':focus'))).toBe(true))
  await page.keyboard.press('ArrowRight')
  await untilPasses(async () => expect(await cards.nth(1).evaluate((card) => card.matches(':focus'))).toBe(true))
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'Releases' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
})

test('inputs are edited in a form built from the module, and reviewed before saving', async ({ skip }) => {
  needsBrowser(skip)
  await go('Environments')
  await page.getByRole('link', { name: 'jobs', exact: true }).click()
  await page.getByRole('tab', { name: 'Inputs' }).click()
  const tasks = (name: string) => page.getByRole('textbox', { name, exact: true })
  await tasks('Tasks').waitFor()
  await checkPage(page, 'inputs')
  await page.getByLabel('Scale by load').check({ force: true })
  await tasks('Tasks at most').fill('500')
  await page.getByText('Must be at most 100.').waitFor()
  expect(await tasks('Tasks').count()).toBe(0)
  await tasks('Tasks at most').fill('4')
  await click('Review changes')
  const review = page.getByRole('dialog', { name: 'Changes' })
  await review.getByText('max_count').waitFor()
  await review.getByLabel('Update the infrastructure now').uncheck()
  await review.getByRole('button', { name: 'Save' }).click()
  await review.waitFor({ state: 'detached' })
  await page.reload()
  await tasks('Tasks at most').waitFor()
  expect(await tasks('Tasks at most').inputValue()).toBe('4')
})

test('the outputs of an instance come from its latest apply', async ({ skip }) => {
  needsBrowser(skip)
  skip(!hasTool, 'skipped: terraform')
  const id = await instance('worker')
  await page.goto(`${demo.url}/console/instances/${id}?tab=outputs`)
  await page.getByText('Not applied by Sluice yet').waitFor()
  await ask('PATCH', `/module-instances/${id}`, { runStack: true, autoapprove: true })
  const outputs = page.getByRole('region', { name: 'Outputs' })
  await outputs.getByText('ecs_service_arn').waitFor()
  await outputs.getByText(/:service\/.*worker$/).waitFor()
  await checkPage(page, 'outputs')
  await outputs.getByRole('link', { name: 'the latest apply' }).click()
  const apply = page.getByRole('region', { name: 'Apply the plan' })
  await apply.getByRole('tab', { name: 'Outputs' }).click()
  await apply.getByText(/:service\/.*worker$/).waitFor()
})

test('logs are followed and metrics are drawn', async ({ skip }) => {
  needsBrowser(skip)
  await go('Environments')
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByRole('tab', { name: 'Logs' }).click()
  const lines = page.getByRole('log').locator('> div')
  await lines.first().waitFor()
  const before = await lines.count()
  await untilPasses(async () => expect(await lines.count()).toBeGreaterThan(before))
  await checkPage(page, 'logs')
  await page.getByRole('tab', { name: 'Metrics' }).click()
  await page.locator('svg[role=img] g[data-muted] path').filter({ visible: true }).first().waitFor()
  await checkPage(page, 'metrics')
})

test('an instance is created in a form built from the module', async ({ skip }) => {
  needsBrowser(skip)
  await go('Environments')
  await page.getByRole('link', { name: 'Create instance' }).last().click()
  await page.getByPlaceholder('Select a module').click()
  await page.getByRole('option', { name: /Network/ }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Main network')
  await untilPasses(async () =>
    expect(await page.getByRole('textbox', { name: 'ID', exact: true }).inputValue()).toBe('main-network'),
  )
  await checkPage(page, 'placing a module')
  await page.getByLabel('Create the infrastructure now').uncheck()
  await click('Create')
  await heading('Main network').waitFor()
})

test('creating an instance with infrastructure opens the run that asks for approval', async ({ skip }) => {
  needsBrowser(skip)
  await go('Environments')
  await page.getByRole('link', { name: 'Create instance' }).last().click()
  await page.getByPlaceholder('Select a module').click()
  await page.getByRole('option', { name: /Network/ }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Second network')
  await click('Create')
  await heading('Change infrastructure').waitFor()
  await page.getByText('Change the infrastructure of second-network').waitFor()
  await page.goto(`${demo.url}/console/instances/${await instance('Second network')}?tab=infrastructure`)
  const run = page.getByRole('link', {
    name: /Change the infrastructure of second-network|Review plan/,
  })
  await run.waitFor()
  await checkPage(page, 'infrastructure that is being made')
  await run.click()
  await heading('Change infrastructure').waitFor()
})

test('a viewer sees a paused release but cannot decide', async ({ skip }) => {
  needsBrowser(skip)
  const paused = await deploy('api')
  const invitation = await ask('POST', '/invitations', { email: 'viewer@sluice.example', role: 'VIEWER' })
  const viewer = { token: invitation.token, fullName: 'Vera Viewer', password: 'a password to look with' }
  await ask('POST', '/invitations/accept', viewer)
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const seen = await context.newPage()
  seen.setDefaultTimeout(pageTimeoutMs)
  await seen.goto(`${demo.url}/console/deployments/${paused}`)
  await seen.getByLabel('Email').fill('viewer@sluice.example')
  await seen.getByRole('textbox', { name: 'Password' }).fill(viewer.password)
  await seen.getByRole('button', { name: 'Sign in', exact: true }).click()
  await seen.getByText('Paused: waiting for an approver').waitFor()
  for (const name of ['Continue', 'Roll back']) {
    await seen.getByRole('button', { name }).and(seen.locator('[aria-disabled=true]')).waitFor()
  }
  expect(await seen.getByText('waiting for you').count()).toBe(0)
  await context.close()
  await ask('POST', `/deployments/${paused}/cancel`)
})

test('the page recovers after a restart of the server', async ({ skip }) => {
  needsBrowser(skip)
  const id = await deploy('jobs')
  await page.goto(`${demo.url}/console/deployments/${id}`)
  await page.getByText('Paused: waiting for you').waitFor()
  const away = page.getByText('The server is not responding').first()
  await demo.restart(async () => {
    await away.waitFor()
    await page.getByText('Paused: waiting for you').waitFor() // the last known data stays
    await checkPage(page, 'the service is away')
    const refused = page.waitForEvent('requestfailed')
    await go('Pipelines')
    await refused
    await away.waitFor()
  })
  await heading('Pipelines').waitFor()
  await page.getByRole('link', { name: 'Release', exact: true }).first().waitFor()
  await away.waitFor({ state: 'detached' })
  await untilPasses(async () => expect(await page.getByRole('alert').count()).toBe(0))
  await page.goBack()
  await ask('POST', `/deployments/${id}/continue`, {}) // as another member would, from elsewhere
  await page.getByText('Production traffic: 75 % previous, 25 % new').waitFor()
  await ask('POST', `/deployments/${id}/cancel`)
  await page.getByText('Rolled back', { exact: true }).first().waitFor()
})

test('a failed deployment shows the reason', async ({ skip }) => {
  needsBrowser(skip)
  await go('Environments')
  await page.getByRole('link', { name: 'worker', exact: true }).click()
  await page.getByLabel('Image').fill('3.0.0-crash')
  await click('Deploy')
  await page
    .getByText(/did not become healthy/)
    .first()
    .waitFor()
  await page
    .getByText(/exit code 1/)
    .first()
    .waitFor()
  await page.getByText(/^exit code 1; worker \S+ serves all traffic$/).waitFor()
  await page.getByText('Last lines of').waitFor()
  await page.getByText('uncaught error, exiting').waitFor()
  await page.getByRole('region', { name: 'Stages' }).getByText('Roll back', { exact: true }).waitFor()
  await page.getByText('More details').click()
  const lines = page.getByRole('alert').getByRole('listitem')
  const atFirst = await lines.count()
  await checkPage(page, 'failed deployment')
  await page
    .getByRole('button', { name: /^Show all/ })
    .first()
    .click()
  await untilPasses(async () => expect(await lines.count()).toBeGreaterThan(atFirst))
})

test('the page of a missing record links to the overview', async ({ skip }) => {
  needsBrowser(skip)
  for (const path of [
    'deployments/dep_none',
    'runs/run_none',
    'instances/mi_none',
    'pipelines/pl_none',
    'projects/prj_none',
  ]) {
    await page.goto(`${demo.url}/console/${path}`)
    await heading('Not found').waitFor()
  }
  await checkPage(page, 'a record that is not there')
  await page.getByRole('link', { name: 'Go to the overview' }).click()
  await heading('Overview').waitFor()
})

test('opening a page sends no request twice', async ({ skip }) => {
  needsBrowser(skip)
  const { id: projectId } = await ask('POST', '/projects', { givenId: 'told', name: 'Told' })
  const deployment = await deploy('api')
  await ask('POST', `/deployments/${deployment}/cancel`)
  const isOver = async () => (await ask('GET', `/deployments/${deployment}`)).completedAt !== undefined
  await untilPasses(async () => expect(await isOver()).toBe(true))
  for (const path of ['/', '/console/environments', '/console/pipelines', `/console/deployments/${deployment}`]) {
    const opened = await another()
    const asked: string[] = []
    const received: { eventName: string; data: string }[] = []
    // Records in progress from earlier tests can change at any time and are then refetched. That is correct.
    const isUndisturbed = () => received.flatMap(resourcesIn).every((resource) => resource === 'projects')
    const devtools = await opened.context().newCDPSession(opened)
    await devtools.send('Network.enable')
    // Both arrive on the same connection: the change is received before the request that it triggers.
    const hear = (url: string) => isUndisturbed() && asked.push(url.slice(demo.url.length))
    devtools.on('Network.requestWillBeSent', ({ request }) => hear(request.url))
    devtools.on('Network.eventSourceMessageReceived', (event) => received.push(event))
    const stream = opened.waitForResponse(/\/changes/)
    await opened.goto(demo.url + path)
    await opened.getByRole('heading', { level: 1 }).waitFor()
    await stream
    await ask('PATCH', `/projects/${projectId}`, { description: path })
    await untilPasses(async () => expect(received.some(({ data }) => data.includes(projectId ?? ''))).toBe(true))
    expect(received.map(({ eventName }) => eventName)).not.toContain('reset')
    expect(asked, path).toContain('/auth/whoami')
    // Answers about projects are refetched, because a project changed. The browser caches files on its own.
    const unchanged = asked.filter((one) => !/^\/(projects|favourites|console)/.test(one))
    expect(unchanged, path).toEqual([...new Set(unchanged)])
    await opened.context().close()
  }
})

/** Returns the resource types in a message of the change stream. */
const resourcesIn = ({ data }: { data: string }): string[] =>
  [JSON.parse(data) as { resource: string }].flat().map(({ resource }) => resource)

test('a change during the loading of a page is shown', async ({ skip }) => {
  needsBrowser(skip)
  const { id } = await ask('POST', '/projects', { givenId: 'renamed', name: 'Before the change' })
  const opened = await another()
  const mayFollow = Promise.withResolvers<void>()
  await opened.route(/\/changes/, async (route) => {
    await mayFollow.promise
    await route.continue()
  })
  await opened.goto(`${demo.url}/console/settings/projects`)
  await opened.getByText('Before the change').waitFor()
  await ask('PATCH', `/projects/${id}`, { name: 'After the change' })
  mayFollow.resolve()
  await opened.getByText('After the change').waitFor()
  await opened.context().close()
})

test('no page threw an error', ({ skip }) => {
  needsBrowser(skip)
  expect(complaints).toEqual([])
})

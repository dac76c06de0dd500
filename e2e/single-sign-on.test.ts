import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signInDomains } from '../packages/server/src/identity/sign-in-domains/tables.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { startWorld, type TestOrganization, type World } from '../packages/server/src/testing/world.ts'
import { untilPasses } from '../testing/until-passes.ts'
import { browserPath, openBrowser, pageTimeoutMs } from './browser.ts'
import { checkPage } from './check-page.ts'

let world: World
let org: TestOrganization
let team: { id: string }
let browser: Browser
let provider: { stop: () => Promise<void> }

beforeAll(async () => {
  if (browserPath === undefined) return
  world = await startWorld({ env: { SLUICE_OUTBOUND_ALLOW: '127.0.0.1' } })
  org = await world.organization()
  const port = await freePort()
  const clientSecret = randomBytes(16).toString('hex')
  team = await org.client.done<{ id: string }>('POST', '/teams', { data: { name: 'Platform team' } })
  const made = await org.client.done<{ callbackUrl: string; backChannelLogoutUrl: string }>(
    'POST',
    '/identity-providers',
    {
      data: {
        name: 'Example ID',
        issuer: `http://127.0.0.1:${port}`,
        clientId: 'sluice',
        clientSecret,
        groupRoles: [{ group: 'ops', role: 'OWNER' }],
        groupTeams: [{ group: 'ops', teamId: team.id }],
        defaultRole: 'VIEWER',
      },
    },
  )
  const proven = { domain: 'example.com', challenge: 'proven', verifiedAt: new Date() }
  await world.db.insert(signInDomains).values({ id: newId('sid'), organizationId: org.id, ...proven })
  provider = await startProvider({
    PORT: String(port),
    CLIENT_SECRET: clientSecret,
    SLUICE: world.url,
    CALLBACK_PATH: new URL(made.callbackUrl).pathname,
    LOGOUT_PATH: new URL(made.backChannelLogoutUrl).pathname,
  })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await provider?.stop()
  await world?.[Symbol.asyncDispose]()
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts the provider in its own process. */
async function startProvider(env: Record<string, string>) {
  const child = spawn(process.execPath, ['e2e/identity-provider.ts'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    over.then(() => reject(new Error('the provider ended before it was ready')))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await over
  }
  return { stop }
}

/** Opens a page in a browser without sessions. */
async function someone(): Promise<Page> {
  const page = await (await browser.newContext({ bypassCSP: true })).newPage()
  page.setDefaultTimeout(pageTimeoutMs)
  return page
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 })

/** Signs in at the provider, starting from Sluice's sign-in page. */
async function signIn(page: Page, name: string, at = '/console/settings/sessions') {
  await page.goto(world.url + at)
  await heading(page, 'Sign in').waitFor()
  await page.getByLabel('Email').fill(`${name}@example.com`)
  await page.getByRole('button', { name: 'Sign in with single sign-on' }).click()
  await page.locator('input[name="login"]').fill(name)
  await page.locator('input[name="password"]').fill('anything')
  await page.locator('button[type="submit"]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

const needsBrowser = (skip: (condition: boolean, why: string) => void) =>
  skip(browserPath === undefined, 'skipped: a browser')

test('a member signs in at the identity provider, returns to the page, and signs out at both', async ({ skip }) => {
  needsBrowser(skip)
  const page = await someone()
  await signIn(page, 'grace')
  await heading(page, 'Your sessions').waitFor()
  expect(page.url()).toBe(`${world.url}/console/settings/sessions`)
  await page.getByText('Chrome on Linux').waitFor()
  await checkPage(page, 'sessions')
  await page.goto(`${world.url}/console/settings/single-sign-on`)
  await page.getByText('ops=Platform team').waitFor()
  await checkPage(page, 'single sign-on')

  await page.goto(`${world.url}/console/settings/access`)
  await page.getByText('Ms grace (from a group)').waitFor()
  await checkPage(page, 'teams')

  await page.getByRole('button', { name: /^Signed in as/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: /yes, sign me out/i }).click()
  await page.waitForURL(/session\/end\/success/)
  await page.goto(`${world.url}/console/settings/members`)
  await heading(page, 'Sign in').waitFor()
})

test('a sign-out at the identity provider ends the session here without the browser', async ({ skip }) => {
  needsBrowser(skip)
  const page = await someone()
  await signIn(page, 'ada')
  await heading(page, 'Your sessions').waitFor()
  const issuer = new URL((await org.client.done<{ issuer: string }[]>('GET', '/identity-providers'))[0]?.issuer ?? '')
  const other = await page.context().newPage()
  await other.goto(new URL('/session/end', issuer).href)
  await other.getByRole('button', { name: /yes, sign me out/i }).click()
  await untilPasses(async () => expect((await page.request.get(`${world.url}/auth/whoami`)).status()).toBe(401))
})

test('an email address that the provider has not verified shows an error on the sign-in page', async ({ skip }) => {
  needsBrowser(skip)
  const page = await someone()
  await signIn(page, 'mallory')
  await page.getByText('The identity provider has not verified your email address.').waitFor()
  await checkPage(page, 'sign-in refused')
  expect((await page.request.get(`${world.url}/auth/whoami`)).status()).toBe(401)
})

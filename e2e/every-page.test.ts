import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployments } from '../packages/server/src/delivery/deployments/store/tables.ts'
import { memberships } from '../packages/server/src/identity/organizations/tables.ts'
import { moduleInstances } from '../packages/server/src/modules/module-instances/tables.ts'
import { and, eq } from '../packages/server/src/platform/db/drizzle.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { createOneOfEverything, type OneOfEverything } from '../packages/server/src/testing/resources.ts'
import { signIn } from '../packages/server/src/testing/session.ts'
import { startWorld, type World } from '../packages/server/src/testing/world.ts'
import { untilPasses } from '../testing/until-passes.ts'
import { browserPath, openBrowser, pageTimeoutMs } from './browser.ts'
import { checkPage } from './check-page.ts'

let world: World
let browser: Browser
let page: Page
let one: OneOfEverything

beforeAll(async () => {
  if (browserPath === undefined) return
  world = await startWorld()
  const { id: organizationId } = await world.organization()
  one = await createOneOfEverything(world.db, { organizationId })
  await nameLongTag()
  await addService()
  const isOwner = and(eq(memberships.organizationId, organizationId), eq(memberships.role, 'OWNER'))
  const [owner] = await world.db.select().from(memberships).where(isOwner)
  if (!owner) throw new Error('an organization has an owner')
  const cookie = await signIn(world.db, { organizationId, membershipId: owner.id, userId: owner.userId })
  const [name = '', value = ''] = cookie.split('=')
  browser = await openBrowser()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: true })
  await context.addCookies([{ name, value, url: world.url }])
  page = await context.newPage()
  page.setDefaultTimeout(pageTimeoutMs)
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

/** Creates a deployment with a tag as long as a commit hash, which has no place to wrap. */
async function nameLongTag(): Promise<void> {
  const image = `registry.example.com/shop/web:${'0123456789'.repeat(4)}`
  const startedAt = new Date().toISOString()
  const event = {
    currentStep: 1,
    totalSteps: 9,
    stepCode: 'INIT',
    startedAt,
    message: `It releases ${image}.`,
  } as const
  const definition = { containerDefinitions: [{ name: 'app', image, environment: [] }] }
  const deployedTaskDefinition = { arn: `${image}-definition`, revision: 7, definition }
  const places = { type: 'cloud:ecs', clusterArn: 'cluster', serviceArn: 'service' } as const
  const data = { ...places, triggeredBy: 'ada@example.com', events: [event], deployedTaskDefinition }
  const id = newId('dep')
  const [made] = await world.db
    .select()
    .from(deployments)
    .where(eq(deployments.id, one.byPath.deployments ?? ''))
  if (!made) throw new Error('there is one of everything')
  await world.db.insert(deployments).values({ ...made, id, data })
  one = { ...one, byPath: { ...one.byPath, deployments: id } }
}

/** Adds the service of the module instance, which has no ID but its `givenId`. */
async function addService(): Promise<void> {
  const isIt = eq(moduleInstances.id, one.byPath['module-instances'] ?? '')
  const [instance] = await world.db.select().from(moduleInstances).where(isIt)
  one = { ...one, byPath: { ...one.byPath, services: instance?.givenId ?? '' } }
}

/** Records that replace path parameters, by the preceding path segment. */
const recordsOf: Record<string, string> = {
  instances: 'module-instances',
  modules: 'module-definitions',
  runs: 'pipeline-runs',
}

/** Paths that redirect. */
const leadElsewhere = new Set(['/console', '/console/settings', '/console/projects/$id/activity'])

/** Returns every address in `router.tsx`, with parameters replaced by records of the organization. */
async function addresses(): Promise<string[]> {
  const router = await readFile(new URL('../packages/console/src/router.tsx', import.meta.url), 'utf8')
  const paths = [...router.matchAll(/path: '([^']+)'/g)].map(([, path = '']) => path)
  const whole = paths.map((path) => (path.startsWith('/') ? path : `/console/settings/${path}`))
  return [...new Set(whole)].filter((path) => !leadElsewhere.has(path)).map(addressOf)
}

function addressOf(path: string): string {
  return path.replaceAll(/([^/]+)\/\$(\w+)/g, (_, of: string, parameter: string) => {
    const record = parameter === 'host' ? 'githosta' : one.byPath[recordsOf[of] ?? of]
    if (record === undefined) throw new Error(`${path} has a parameter that this test has no record for`)
    return `${of}/${record}`
  })
}

test('every page passes axe in both color schemes, fits a phone and has a unique title', async ({ skip }) => {
  skip(browserPath === undefined, 'skipped: a browser')
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  const titles = new Map<string, string>()
  for (const address of await addresses()) {
    await page.goto(`${world.url}${address}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForFunction(`!document.querySelector('[aria-busy=true]')`)
    await checkPage(page, address)
    const title = await page.title()
    expect.soft(complaints.splice(0), `what the browser's console says at ${address}`).toEqual([])
    expect.soft(title, `the title of ${address}`).toMatch(/^.+ · Sluice$/)
    expect.soft(titles.get(title), `${address} and this one are both called ${title}`).toBeUndefined()
    titles.set(title, address)
  }
  expect(titles.size).toBeGreaterThan(25)
  await page.goto(`${world.url}/console`)
  await page.waitForURL(`${world.url}/`)
})

test('diagrams of the guide are drawn under the content security policy', async ({ skip }) => {
  skip(browserPath === undefined, 'skipped: a browser')
  const written = await readFile(new URL('../docs/architecture.md', import.meta.url), 'utf8')
  const context = await browser.newContext({ viewport: { width: 360, height: 800 } })
  const guide = await context.newPage()
  await guide.goto(`${world.url}/docs/guide/architecture.html`)
  const pictures = () => guide.locator('.diagram svg').count()
  await untilPasses(async () => expect(await pictures()).toBe(written.split('```mermaid').length - 1))
  expect(await guide.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await context.close()
})

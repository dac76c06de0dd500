import type { Browser, Page } from 'playwright-core'
import { memberships } from '../packages/server/src/identity/organizations/tables.ts'
import { eq } from '../packages/server/src/platform/db/drizzle.ts'
import { signIn } from '../packages/server/src/testing/session.ts'
import type { TestOrganization, World } from '../packages/server/src/testing/world.ts'

type Parts = {
  world: World
  browser: Browser
  /** Where what the browser's console says against the page goes. */
  complaints: string[]
}

/** A page of the owner of an organization. */
export async function signedIn({ world, browser, complaints }: Parts, { id }: TestOrganization): Promise<Page> {
  const [owner] = await world.db.select().from(memberships).where(eq(memberships.organizationId, id))
  if (!owner) throw new Error('an organization has an owner')
  const cookie = await signIn(world.db, { organizationId: id, membershipId: owner.id, userId: owner.userId })
  const [name = '', value = ''] = cookie.split('=')
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
  await context.addCookies([{ name, value, url: world.url }])
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  return page
}

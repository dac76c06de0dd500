import type { Role } from '@sluice/contract'
import type { Browser, Page } from 'playwright-core'
import { memberships } from '../packages/server/src/identity/organizations/tables.ts'
import { and, eq } from '../packages/server/src/platform/db/drizzle.ts'
import { signIn } from '../packages/server/src/testing/session.ts'
import type { TestOrganization, World } from '../packages/server/src/testing/world.ts'
import { pageTimeoutMs } from './browser.ts'

type Parts = {
  world: World
  browser: Browser
  /** Receives the messages of the browser's console. */
  complaints: string[]
}

/** Opens a page that is signed in as a member with the given role. */
export async function signedIn(
  { world, browser, complaints }: Parts,
  { id }: TestOrganization,
  role: Role = 'OWNER',
): Promise<Page> {
  const hasRole = and(eq(memberships.organizationId, id), eq(memberships.role, role))
  const [member] = await world.db.select().from(memberships).where(hasRole)
  if (!member) throw new Error(`the organization has no member who is ${role}`)
  const cookie = await signIn(world.db, { organizationId: id, membershipId: member.id, userId: member.userId })
  const [name = '', value = ''] = cookie.split('=')
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
  await context.addCookies([{ name, value, url: world.url }])
  const page = await context.newPage()
  page.setDefaultTimeout(pageTimeoutMs)
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  return page
}

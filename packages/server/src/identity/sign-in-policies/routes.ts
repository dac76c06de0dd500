import { routes, type SignInPolicy } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { referenceNotFound } from '../../platform/http/references.ts'
import { recordChange } from '../audit-events/record.ts'
import { findMember, type Member } from '../memberships/store.ts'
import { hasPassword } from '../users/store.ts'
import { findBreakGlass, removePasswordSessions, removePolicy, setBreakGlass } from './store.ts'

/** `db` is not scoped to an organization, because identities belong to none. */
export function serveSignInPolicies(app: App, { db: processDb }: { db: Db }): void {
  handle(app, routes.getSignInPolicy, async ({ caller, db }) => ({
    data: toWire(await findBreakGlass(db, caller.organizationId)),
  }))

  handle(app, routes.updateSignInPolicy, async ({ body: { data }, caller, db, request }) => {
    const { organizationId } = caller
    const chosen = await findChosen(db, organizationId, data.breakGlassMembershipId)
    const breakGlass = data.passwordSignIn === 'ALLOWED' ? undefined : (await expectBreakGlass(chosen)).id
    await db.transaction(async (tx) => {
      const before = toWire(await findBreakGlass(tx, organizationId))
      if (breakGlass === undefined) await removePolicy(tx, organizationId)
      else await setBreakGlass(tx, organizationId, breakGlass)
      const change = { action: 'sign-in-policies.update', resourceType: 'sign-in-policy', resourceId: organizationId }
      await recordChange(tx, { caller, request }, { ...change, details: data, before })
    })
    // If the process crashes here, repeating the request ends the sessions.
    if (breakGlass !== undefined) await removePasswordSessions(processDb, organizationId, breakGlass)
    app.callers.forget()
    return { data: toWire(breakGlass) }
  })

  async function expectBreakGlass(member: Member | undefined): Promise<Member> {
    if (!member) throw bodyInvalid(['$.data.breakGlassMembershipId: expected the membership of an owner'])
    if (member.role === 'OWNER' && (await hasPassword(processDb, member.userId))) return member
    throw new ApiError('breakGlassInvalid', `${member.user.email} must be an owner with a password.`)
  }
}

async function findChosen(db: Db, organizationId: string, id: string | undefined): Promise<Member | undefined> {
  if (id === undefined) return undefined
  const member = await findMember(db, organizationId, id)
  if (!member) throw referenceNotFound('breakGlassMembershipId', 'membership', id)
  return member
}

const toWire = (breakGlassMembershipId: string | undefined): SignInPolicy =>
  breakGlassMembershipId === undefined
    ? { passwordSignIn: 'ALLOWED' }
    : { passwordSignIn: 'BREAK_GLASS', breakGlassMembershipId }

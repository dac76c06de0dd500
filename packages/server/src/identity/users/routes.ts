import { routes, type UpdateUser, type User } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../platform/auth/caller.ts'
import { credentialIn } from '../../platform/auth/credential.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { recordChange } from '../audit-events/record.ts'
import { findByPassword, passwordAttempt } from '../auth/sign-in.ts'
import { hashPassword } from '../organizations/passwords.ts'
import { removeOtherSessions } from '../sessions/store.ts'
import { findUser, hasPassword, hasProvider, setPassword, type UserRow, updateUser } from './store.ts'

/** `db` is not scoped to an organization, because a user is the same person in all of them. */
export function serveUsers(app: App, { db }: { db: Db }): void {
  handle(app, routes.getMe, async ({ caller }) => {
    const user = await findUser(db, caller.userId)
    if (!user) throw notFound()
    return { data: toWire(user, await hasPassword(db, user.id)) }
  })

  handle(app, routes.updateMe, async ({ body: { data }, caller, request }) => {
    if (caller.principalType !== 'MEMBERSHIP') throw notFound()
    const { password, ...names } = data
    if (password) await checkCurrentPassword(caller, password, request)
    const passwordHash = password && (await hashPassword(password.new))
    const reply = await db.transaction(async (tx) => {
      const user = await updateUser(tx, caller.userId, names)
      if (!user) throw notFound()
      if (passwordHash) {
        await setPassword(tx, user.id, passwordHash)
        await removeOtherSessions(tx, user.id, credentialIn(request.headers)?.tokenHash ?? '')
      }
      const change = { action: 'users.update', resourceType: 'user', resourceId: user.id }
      const details = { ...names, ...(passwordHash && { isPasswordChanged: true }) }
      await recordChange(tx, { caller, request }, { ...change, details })
      return { data: toWire(user, await hasPassword(tx, user.id)) }
    })
    app.callers.forget()
    return reply
  })

  /** Limits guesses of the password through a stolen session like guesses at sign-in. */
  async function checkCurrentPassword(
    { userId, email }: Caller,
    { current }: NonNullable<UpdateUser['password']>,
    { ip: address }: FastifyRequest,
  ): Promise<void> {
    if (!(await hasPassword(db, userId))) {
      // An organization's provider must not give access to the user's other organizations.
      if (!(await hasProvider(db, userId))) return
      throw new ApiError('forbidden', 'You sign in through an identity provider, which manages your password.')
    }
    const isRight =
      current !== undefined &&
      (await app.attempts.atPassword(passwordAttempt(db, address, email), () => findByPassword(db, email, current)))
    if (!isRight) throw new ApiError('currentPasswordWrong', 'Send your current password as `data.password.current`.')
  }
}

const notFound = () => new ApiError('userNotFound', 'A service account is not a user.')

const toWire = (row: UserRow, hasPassword: boolean): User => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  email: row.email,
  globalRole: row.globalRole,
  hasPassword,
  ...(row.fullName !== null && { fullName: row.fullName }),
  ...(row.shortName !== null && { shortName: row.shortName }),
})

import { routes } from '@sluice/contract'
import { credentialIn } from '../../platform/auth/credential.ts'
import { clearSessionCookie, setSessionCookie } from '../../platform/auth/session-cookie.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { recordChange } from '../audit-events/record.ts'
import { removeSession } from '../sessions/store.ts'
import { type Registration, register, rejectClosed } from './register.ts'
import { findByPassword, normalEmail, type OnSignIn, passwordAttempt, startPasswordSession } from './sign-in.ts'

/** `db` is not scoped to an organization, because a user who signs in has none yet. */
type Parts = { db: Db; registration: Registration; onSignIn: OnSignIn }

export function serveAuth(app: App, { db, registration, onSignIn }: Parts): void {
  handle(app, routes.whoami, async ({ caller: { access: _, isEnding: __, through: ___, ...principal } }) => ({
    data: principal,
  }))

  handle(app, routes.register, async ({ body: { data }, request }) => {
    await rejectClosed(db, registration)
    const { organizationName } = data
    const email = normalEmail(data.email)
    // A new registration counts like a failure, so that one address cannot register without limit.
    await app.attempts.atPassword({ address: request.ip, account: email }, () =>
      register(db, { ...data, email }, registration, request),
    )
    return { data: { email, organizationName } }
  })

  handle(app, routes.login, async ({ body: { data }, request, reply }) => {
    const { password, organizationId } = data
    const email = normalEmail(data.email)
    const attempt = app.attempts.atPassword(passwordAttempt(db, request.ip, email), async () => {
      const identity = await findByPassword(db, email, password)
      return identity && startPasswordSession(db, identity, organizationId, request)
    })
    const session = await attempt.catch((error) => {
      if (error instanceof ApiError) onSignIn('password', 'refused')
      throw error
    })
    onSignIn('password', session ? 'ok' : 'refused')
    if (!session) throw signInFailed()
    setSessionCookie(request, reply, session.token)
    return { data: session.caller }
  })

  handle(app, routes.logout, async ({ caller, db: ownDb, request, reply }) => {
    const credential = credentialIn(request.headers)
    if (credential?.type !== 'SESSION') return // an API key has no session to end
    await ownDb.transaction(async (tx) => {
      const resourceId = await removeSession(tx, caller, credential)
      if (resourceId === undefined) return
      await recordChange(tx, { caller, request }, { action: 'sessions.delete', resourceType: 'session', resourceId })
    })
    app.callers.forget()
    clearSessionCookie(request, reply)
  })
}

const signInFailed = () => new ApiError('signInFailed', 'The email, the password or the organization is wrong.')

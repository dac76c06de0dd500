import { csrfHeader, type RequestClass, type Route } from '@sluice/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { permissionsSomewhere } from '../auth/access.ts'
import { mayDo } from '../auth/caller.ts'
import { type Credential, credentialIn } from '../auth/credential.ts'
import { setSessionCookie } from '../auth/session-cookie.ts'
import { ApiError } from './api-error.ts'
import { type App, usualBodyBytes } from './app.ts'
import { originOf } from './origin.ts'

/**
 * Authenticates and authorizes the caller of an operation. Runs before the body is read, so that unauthenticated
 * clients cannot cause parsing.
 */
export const guard =
  (app: App, { permission, on }: Pick<Route, 'permission' | 'on'>, requestClass: RequestClass = 'control') =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const known = await app.ownRequests.callerOf(request.headers)
    const credential = known ? undefined : credentialIn(request.headers)
    const caller = known ?? (credential && (await app.callers.find(credential)))
    if (!caller) {
      if (credential || request.headers.authorization !== undefined) await app.attempts.badCredential(request.ip)
      throw new ApiError('unauthenticated', whyUnknown(credential), {}, { 'www-authenticate': 'Bearer' })
    }
    request.caller = caller
    await app.limits.request(caller, bodyBytesOf(request), requestClass)
    if (credential?.type === 'SESSION') {
      if (!isFromOurPages(app, request)) {
        throw new ApiError(
          'crossSite',
          `Requests that use a session cookie and change data must send the header ${csrfHeader}: 1.`,
        )
      }
      setSessionCookie(request, reply, credential.token)
    }
    if (permission === 'anyone' || permission === 'caller') return
    // The scope depends on the whole request; `requirePermission` checks it after parsing.
    if (on ? permissionsSomewhere(caller.access).has(permission) : mayDo(caller, permission)) return
    throw new ApiError('forbidden', `The role ${caller.role} lacks the permission ${permission}.`)
  }

/** Explains a failed authentication without revealing whether an API key ever existed. */
function whyUnknown(credential: Credential | undefined): string {
  if (!credential) return 'Send a valid API key as `Authorization: Bearer <key>`, or sign in.'
  if (credential.type === 'SESSION') return 'The session is over: sign in again.'
  return 'The API key is unknown, expired or revoked: send a valid one as `Authorization: Bearer <key>`.'
}

/** Returns the size of the body in bytes. A chunked body counts as the default maximum, since its size is unknown. */
function bodyBytesOf({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return usualBodyBytes
  return Number(headers['content-length'] ?? 0)
}

const readingMethods: readonly string[] = ['GET', 'HEAD']

/**
 * Reports whether a request with a session cookie comes from the console (protection against CSRF). Browsers attach the
 * cookie to requests of other sites too. Such a request cannot set a custom header without a preflight, and its
 * `Origin` is the other site.
 */
function isFromOurPages(app: App, request: FastifyRequest): boolean {
  const { method, headers } = request
  if (readingMethods.includes(method) || headers[csrfHeader] === '1') return true
  return headers.origin === originOf(app, request)
}

import type { ServerResponse } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import type { Route } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { permissionsSomewhere } from '../../auth/access.ts'
import { type Caller, mayDo } from '../../auth/caller.ts'
import { credentialIn } from '../../auth/credential.ts'
import { ApiError } from '../api-error.ts'
import type { App } from '../app.ts'
import type { Input } from '../input.ts'
import { requirePermission } from '../rights.ts'

/** Content types of responses that last until the client disconnects: server-sent events, and lists of any length. */
const streams = ['text/event-stream', 'application/x-ndjson']

export const isStream = ({ responseType = '' }: Pick<Route, 'responseType'>): boolean => streams.includes(responseType)

type Reading = { input: Input; caller: Caller; request: FastifyRequest; raw: ServerResponse }

/**
 * Returns a signal that aborts when the caller loses the permission for the request. Never aborts for a request without
 * a credential.
 */
export function revocationOf(app: App, route: Route, { input, caller, request, raw }: Reading): AbortSignal {
  const credential = credentialIn(request.headers)
  if (!credential) return new AbortController().signal
  const { revoked, stop } = app.rightsWatch.watch(credential, async () => {
    const present = await app.callers.find(credential)
    return present !== undefined && mayStill(app, route, { input, before: caller, present })
  })
  raw.once('close', stop)
  return revoked
}

async function mayStill(
  app: App,
  route: Route,
  { input, before, present }: { input: Input; before: Caller; present: Caller },
): Promise<boolean> {
  if (present.organizationId !== before.organizationId) return false
  const { permission, on, params } = route
  const { hidden } = present.access
  // The stream was opened with the records that were visible to the caller then, so it ends if that set changes.
  if (params && !isSame(hidden, before.access.hidden)) return false
  if (permission === 'anyone' || permission === 'caller') return true
  if (!on) return mayDo(present, permission)
  if (!permissionsSomewhere(present.access).has(permission)) return false
  const db = app.ofOrganization(present.organizationId, hidden)
  return requirePermission(app, route, { input, caller: present, db }).then(
    () => true,
    (error) => {
      if (error instanceof ApiError) return false
      throw error
    },
  )
}

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((id) => other.has(id))

/** Time in milliseconds for a client to read the remaining data of a revoked stream. */
const lastReadMs = 300

/**
 * Forwards a stream until its caller loses the permission to read it. An event stream ends normally, and its client
 * reconnects. A list is cut off, so that the client does not mistake it for a complete one.
 */
export function untilRevoked(
  body: Readable,
  { route: { responseType }, revoked, raw }: { route: Route; revoked: AbortSignal; raw: ServerResponse },
): Readable {
  const passed = new PassThrough()
  body.once('error', (error) => passed.destroy(error))
  passed.once('close', () => body.destroy())
  body.pipe(passed)
  const end = () => {
    if (responseType !== 'text/event-stream') return void raw.destroy()
    body.unpipe(passed)
    passed.end()
    body.destroy()
    const timer = setTimeout(() => raw.destroy(), lastReadMs)
    raw.once('close', () => clearTimeout(timer))
  }
  if (revoked.aborted) end()
  else revoked.addEventListener('abort', end, { once: true })
  return passed
}

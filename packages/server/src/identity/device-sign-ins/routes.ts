import { type DeviceSignIn, type DeviceToken, routes } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { newApiKey, storedApiKey } from '../../platform/auth/api-key.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import { hashOf, newToken } from '../../platform/auth/token.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { originOf } from '../../platform/http/origin.ts'
import { insertApiKey } from '../api-keys/store.ts'
import { recordChange } from '../audit-events/record.ts'
import { consumeApproved, decideDeviceSignIn, findDeviceSignIn, insertDeviceSignIn, recordPoll } from './store.ts'
import type { DeviceSignInRow } from './tables.ts'
import { newUserCode, normalizeUserCode } from './user-code.ts'

/** Lifetime of the codes in seconds: enough to open a browser and sign in, too short to guess one. */
const codeLifetimeSeconds = 600
/** Polling interval of devices in seconds, and the tolerated jitter. */
const interval = 5
const jitter = 1
/** Lifetime of the issued key, in days. */
const keyLifetimeDays = 90

/** `db` is not scoped to an organization, because the device has none yet. */
/** Registers the device authorization flow (RFC 8628) for programs without a browser. */
export function serveDeviceSignIns(app: App, { db, clock }: { db: Db; clock: () => Date }): void {
  handle(app, routes.startDeviceSignIn, async ({ body: { data }, request }) => {
    const deviceCode = newToken('sld_')
    const userCode = newUserCode()
    const expiresAt = new Date(clock().getTime() + codeLifetimeSeconds * 1_000)
    const hashes = { deviceCodeHash: hashOf(deviceCode), userCodeHash: hashOf(userCode) }
    // Counts like a failed attempt, so that one address cannot request codes without limit.
    await app.attempts.atPassword({ address: request.ip, account: 'device sign-ins' }, async () => {
      await insertDeviceSignIn(db, { ...hashes, clientName: data.clientName, ipAddress: request.ip, expiresAt })
      return undefined
    })
    const verificationUri = `${originOf(app, request)}/console/device`
    const verificationUriComplete = `${verificationUri}?code=${userCode}`
    return {
      data: {
        deviceCode,
        userCode,
        verificationUri,
        verificationUriComplete,
        expiresIn: codeLifetimeSeconds,
        interval,
      },
    }
  })

  handle(app, routes.decideDeviceSignIn, async ({ body: { data }, caller, request }) => {
    const userCodeHash = hashOf(normalizeUserCode(data.userCode))
    const by = { address: request.ip, account: `device sign-ins of ${caller.membershipId}` }
    const row = await app.attempts.atPassword(by, () => findDeviceSignIn(db, { userCodeHash }, clock()))
    if (!row) throw expired()
    rejectProgram(caller)
    if (data.decision === undefined) return { data: toWire(row) }
    const decision = data.decision === 'APPROVE' ? 'APPROVED' : 'REJECTED'
    return { data: toWire(await decide(userCodeHash, decision, { caller, request })) }
  })

  handle(app, routes.finishDeviceSignIn, async ({ body: { data }, request }) => {
    const deviceCodeHash = hashOf(data.deviceCode)
    const taken = await db.transaction((tx) => giveKey(tx, deviceCodeHash, { request, now: clock() }))
    if (taken) return { data: taken }
    const now = clock()
    const row = await findDeviceSignIn(db, { deviceCodeHash }, now)
    if (!row) {
      await app.attempts.badCredential(request.ip)
      throw expired()
    }
    if (row.decision === 'REJECTED') throw new ApiError('deviceAccessDenied', 'The user rejected the sign-in.')
    const notAfter = new Date(now.getTime() - (interval - jitter) * 1_000)
    if (!(await recordPoll(db, row.id, { now, notAfter }))) throw tooSoon()
    throw new ApiError('authorizationPending', 'The user has not approved the code yet: try again.')
  })

  function decide(
    userCodeHash: string,
    decision: 'APPROVED' | 'REJECTED',
    by: { caller: Caller; request: FastifyRequest },
  ): Promise<DeviceSignInRow> {
    return db.transaction(async (tx) => {
      const { membershipId } = by.caller
      const row = await decideDeviceSignIn(tx, userCodeHash, { decision, membershipId, now: clock() })
      if (!row) throw expired()
      const action = decision === 'APPROVED' ? 'device-sign-ins.approve' : 'device-sign-ins.reject'
      const details = { clientName: row.clientName, ipAddress: row.ipAddress }
      await recordChange(tx, by, { action, resourceType: 'device-sign-in', resourceId: row.id, details })
      return row
    })
  }
}

/** Creates an API key for the user who approved. It was never stored before. */
async function giveKey(
  tx: Db,
  deviceCodeHash: string,
  { request, now }: { request: FastifyRequest; now: Date },
): Promise<DeviceToken | undefined> {
  const taken = await consumeApproved(tx, deviceCodeHash, now)
  if (!taken) return undefined
  const { row, member } = taken
  const token = newApiKey()
  const expiresAt = new Date(now.getTime() + keyLifetimeDays * 86_400_000)
  const { organizationId, membershipId } = member
  const key = { organizationId, membershipId, name: row.clientName, expiresAt }
  const { id } = await insertApiKey(tx, { ...key, ...storedApiKey(token) })
  const caller = { principalType: 'MEMBERSHIP', ...member } as const
  const details = { name: row.clientName, expiresAt: expiresAt.toISOString(), deviceSignInId: row.id }
  await recordChange(
    tx,
    { caller, request },
    { action: 'api-keys.create', resourceType: 'api-key', resourceId: id, details },
  )
  return { token, expiresAt: expiresAt.toISOString() }
}

/** Rejects API keys, because a key that approves devices would survive its own revocation through them. */
function rejectProgram({ authSource, principalType }: Caller): void {
  if (authSource !== 'COOKIE' || principalType !== 'MEMBERSHIP') {
    throw new ApiError('forbidden', 'Only a user who is signed in to the console can decide.')
  }
}

const expired = () =>
  new ApiError(
    'deviceCodeExpired',
    'The code is invalid, expired or already used. Start signing in again in the application.',
  )

const tooSoon = () =>
  new ApiError(
    'slowDown',
    `Poll at most once every ${interval} seconds.`,
    {},
    {
      'retry-after': String(interval),
    },
  )

const toWire = (row: DeviceSignInRow): DeviceSignIn => ({
  clientName: row.clientName,
  ipAddress: row.ipAddress,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  status: row.decision ?? 'PENDING',
})

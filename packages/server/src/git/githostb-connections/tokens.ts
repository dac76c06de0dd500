import { setTimeout as sleep } from 'node:timers/promises'
import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Database } from '../../platform/db/open.ts'
import { GitAccessLost, GitHostPermanentError, GitHostTransientError } from '../adapter/errors.ts'
import type { AccessTokens, GrantedTokens } from '../adapter/githostb.ts'
import type { GitHosts } from '../adapter/hosts.ts'
import { findRegistered } from './client.ts'
import { endRenewal, findGithostbConnection, leaseTokenRefresh } from './store.ts'
import { type GithostbConnectionRow, sealedConnectionTokens } from './tables.ts'

/** Minimum remaining lifetime of a token, in milliseconds, so that it does not expire during use. */
const marginMs = 5 * 60_000
/** Lease of a refresh, in milliseconds: longer than the request timeout. */
const renewalMs = 15_000
/** Interval at which waiting processes check for new tokens, in milliseconds. */
const checkIntervalMs = 100

export interface TokenParts {
  ofOrganization: Database['ofOrganization']
  seal: Seal
  hosts: GitHosts
  clock: () => Date
}

type Of = Pick<GithostbConnectionRow, 'organizationId' | 'baseUrl' | 'hostUserId'>

const placeOf = ({ organizationId, baseUrl, hostUserId }: Of) =>
  createSealContext(sealedConnectionTokens, organizationId, baseUrl, hostUserId)

/** Encrypts a connection's access and refresh tokens for storage. */
export const sealTokens = (seal: Seal, of: Of, { accessToken, refreshToken }: GrantedTokens): string =>
  seal.close(placeOf(of), JSON.stringify({ accessToken, refreshToken }))

const openTokens = (seal: Seal, row: GithostbConnectionRow) =>
  JSON.parse(seal.open(placeOf(row), row.sealedTokens)) as Pick<GrantedTokens, 'accessToken' | 'refreshToken'>

/**
 * Manages the access tokens of connections and refreshes them before they expire. A second use of a refresh token would
 * revoke all access, so one process refreshes and the others wait.
 */
export function createConnectionTokens({ ofOrganization, seal, hosts, clock }: TokenParts) {
  async function load(organizationId: string, id: string): Promise<GithostbConnectionRow> {
    const row = await findGithostbConnection(ofOrganization(organizationId), organizationId, id)
    if (!row) throw new GitAccessLost(`The connection ${id} is gone.`)
    return row
  }

  const isFresh = ({ expiresAt }: GithostbConnectionRow) => expiresAt.getTime() - marginMs > clock().getTime()

  async function renewed(stale: GithostbConnectionRow): Promise<GithostbConnectionRow> {
    const { organizationId, id, tokenVersion } = stale
    const giveUpAt = performance.now() + 2 * renewalMs
    while (performance.now() < giveUpAt) {
      const now = clock()
      const until = new Date(now.getTime() + renewalMs)
      const mine = await leaseTokenRefresh(ofOrganization(organizationId), stale, { now, until })
      if (mine) return renew(mine)
      await sleep(checkIntervalMs)
      const row = await load(organizationId, id)
      if (row.tokenVersion > tokenVersion) return row
      if (row.accessLost && row.renewingUntil === null) throw accessEnded(row)
    }
    throw new GitHostTransientError('The access to the git host is being renewed and that takes too long.')
  }

  async function renew(row: GithostbConnectionRow): Promise<GithostbConnectionRow> {
    const db = ofOrganization(row.organizationId)
    try {
      const registered = await findRegistered(db, { seal, hosts }, row.organizationId, row.instanceId)
      if (!registered) throw accessEnded(row)
      const { refreshToken } = openTokens(seal, row)
      const granted = await hosts.b(row.baseUrl).refresh(registered.openClient(), refreshToken)
      const kept = { sealedTokens: sealTokens(seal, row, granted), expiresAt: granted.expiresAt }
      // If the person reconnected in the meantime, use the stored tokens.
      return (await endRenewal(db, row, kept)) ?? (await load(row.organizationId, row.id))
    } catch (error) {
      const isOver = error instanceof GitAccessLost || error instanceof GitHostPermanentError
      await endRenewal(db, row, isOver ? { accessLost: true } : {})
      throw isOver ? accessEnded(row) : error
    }
  }

  return ({ organizationId, id }: { organizationId: string; id: string }): AccessTokens => ({
    async current() {
      const row = await load(organizationId, id)
      return openTokens(seal, isFresh(row) ? row : await renewed(row)).accessToken
    },
    async insteadOf(rejected) {
      const row = await load(organizationId, id)
      const { accessToken } = openTokens(seal, row)
      return accessToken === rejected ? openTokens(seal, await renewed(row)).accessToken : accessToken
    },
  })
}

export type ConnectionTokens = ReturnType<typeof createConnectionTokens>

const accessEnded = ({ userName, baseUrl }: GithostbConnectionRow) =>
  new GitAccessLost(`The access that ${userName} allowed at ${baseUrl} has ended; connect again to renew it.`)

import { randomBytes } from 'node:crypto'
import { routes, type SignInDomain } from '@sluice/contract'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList, unfiltered } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { recordChange } from '../audit-events/record.ts'
import {
  claimedIndex,
  findDomain,
  insertDomain,
  listDomains,
  markVerified,
  removeDomain,
  type SignInDomainRow,
  verifiedIndex,
} from './store.ts'

const resourceType = 'sign-in-domain'

/** Returns the TXT records of a DNS name, possibly none. Throws if the lookup fails. */
export type FindTexts = (name: string) => Promise<string[]>

export function serveSignInDomains(app: App, { findTexts }: { findTexts: FindTexts }): void {
  handle(app, routes.createSignInDomain, ({ body: { data }, caller, db, request }) => {
    const { organizationId } = caller
    const claim = () =>
      db.transaction(async (tx) => {
        const challenge = `sluice-domain=${randomBytes(18).toString('base64url')}`
        const row = await insertDomain(tx, { organizationId, domain: data.domain, challenge })
        const change = { action: 'sign-in-domains.create', resourceType, resourceId: row.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(row) }
      })
    return rejectTaken(claimedIndex, () => taken(data.domain, 'This organization has claimed it'), claim)
  })

  handleList(app, routes.listSignInDomains, unfiltered(listDomains), toWire)
  handleGet(app, routes.getSignInDomain, { find: findDomain, notFound, toWire })

  handle(app, routes.verifySignInDomain, async ({ params: { id }, caller, db, request }) => {
    const claimed = await findDomain(db, caller.organizationId, id)
    if (!claimed) throw notFound(id)
    await expectRecord(claimed)
    const verify = () =>
      db.transaction(async (tx) => {
        const row = await markVerified(tx, caller.organizationId, id)
        if (!row) throw notFound(id)
        const details = { domain: row.domain }
        const change = { action: 'sign-in-domains.verify', resourceType, resourceId: id, details }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(row) }
      })
    return rejectTaken(verifiedIndex, () => taken(claimed.domain, 'Another organization has proven it'), verify)
  })

  handle(app, routes.deleteSignInDomain, async ({ params: { id }, caller, db, request }) => {
    await db.transaction(async (tx) => {
      const row = await removeDomain(tx, caller.organizationId, id)
      if (!row) throw notFound(id)
      const before = { domain: row.domain }
      await recordChange(
        tx,
        { caller, request },
        {
          action: 'sign-in-domains.delete',
          resourceType,
          resourceId: id,
          before,
        },
      )
    })
  })

  async function expectRecord({ domain, challenge }: SignInDomainRow): Promise<void> {
    const name = recordNameOf(domain)
    const texts = await findTexts(name).catch((error: Error) => {
      throw new ApiError('signInDomainNotProven', `${name} cannot be looked up: ${error.message}. Try again later.`)
    })
    if (texts.includes(challenge)) return
    const found = texts.length === 0 ? 'there is none' : 'it holds other texts'
    throw new ApiError(
      'signInDomainNotProven',
      `Create the TXT record ${name} with ${challenge}, and try again: ${found}. DNS changes can take a while.`,
    )
  }
}

const recordNameOf = (domain: string): string => `_sluice.${domain}`

const taken = (domain: string, why: string) => new ApiError('signInDomainTaken', `${why}: ${domain}.`)

const notFound = (id: string) => missing('signInDomainNotFound', 'domain', id)

const toWire = (row: SignInDomainRow): SignInDomain => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  domain: row.domain,
  status: row.verifiedAt === null ? 'PENDING' : 'VERIFIED',
  recordName: recordNameOf(row.domain),
  recordValue: row.challenge,
  ...(row.verifiedAt !== null && { verifiedAt: row.verifiedAt.toISOString() }),
})

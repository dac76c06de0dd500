import { type Certificate, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { inUse, missing, referenceNotFound } from '../../platform/http/references.ts'
import type { Cloud } from '../adapter/access.ts'
import { deleteCertificate, isInUse, listCertificates as listInAccount } from '../adapter/certificates.ts'
import { CloudPermanentError, CloudTransientError } from '../adapter/cloud-call.ts'
import { findCloudConnection } from '../cloud-accounts/connection.ts'
import { shareLockCloudAccount } from '../cloud-accounts/store.ts'
import {
  findCertificate,
  insertCertificate,
  insertFound,
  listCertificates,
  removeCertificate,
  wakeCertificate,
} from './store.ts'
import type { CertificateRow } from './tables.ts'
import { toCertificate } from './wake.ts'

const resourceType = 'certificate'

/** Interval between the first polls of imported certificates, in milliseconds: ACM allows ten reads a second. */
const pollIntervalMs = 200

export function serveCertificates(app: App, parts: { cloud: Cloud; clock: () => Date }): void {
  const { cloud, clock } = parts

  handle(app, routes.createCertificate, async ({ body: { data }, caller, db, request }) => {
    const row = await db.transaction(async (tx) => {
      const isThere = await shareLockCloudAccount(tx, caller.organizationId, data.cloudAccountId)
      if (!isThere) throw referenceNotFound('cloudAccountId', 'cloud account', data.cloudAccountId)
      const made = await insertCertificate(tx, caller.organizationId, data, clock())
      const change = { action: 'certificates.create', resourceType, resourceId: made.id, details: data }
      await recordChange(tx, { caller, request }, change)
      return made
    })
    await app.sendMessages([toCertificate(row.id)])
    return { data: toWire(row) }
  })

  handleList(app, routes.listCertificates, listCertificates, toWire)

  handle(app, routes.findCertificates, async ({ body: { data }, caller, db, request }) => {
    const { organizationId } = caller
    const isThere = await shareLockCloudAccount(db, organizationId, data.cloudAccountId)
    if (!isThere) throw referenceNotFound('cloudAccountId', 'cloud account', data.cloudAccountId)
    const { certificates } = await clientsOf(cloud, db, { organizationId, ...data })
    const found = await withApiErrors(() => listInAccount(certificates))
    const from = clock().getTime()
    const known = found.map((one, index) => ({ ...one, wakeAt: new Date(from + index * pollIntervalMs) }))
    const added = await db.transaction(async (tx) => {
      const rows = await insertFound(tx, { organizationId, ...data }, known)
      const details = { ...data, found: found.length, added: rows.length }
      const change = {
        action: 'certificates.find',
        resourceType: 'cloud-account',
        resourceId: data.cloudAccountId,
        details,
      }
      await recordChange(tx, { caller, request }, change)
      return rows
    })
    const delayOf = ({ wakeAt }: CertificateRow) => Math.max(0, (wakeAt?.getTime() ?? from) - from)
    await app.sendMessages(added.slice(0, 50).map((row) => toCertificate(row.id, { seq: row.wakeSeq }, delayOf(row))))
    return { data: { found: found.length, added: added.length } }
  })

  handleGet(app, routes.getCertificate, { find: findCertificate, notFound, toWire })

  handle(app, routes.checkCertificate, async ({ params, caller, db, request }) => {
    const row = await db.transaction(async (tx) => {
      const woken = await wakeCertificate(tx, caller.organizationId, params.id, clock())
      if (!woken) throw notFound(params.id)
      await recordChange(tx, { caller, request }, { action: 'certificates.check', resourceType, resourceId: params.id })
      return woken
    })
    await app.sendMessages([toCertificate(row.id, { seq: row.wakeSeq })])
    return { data: toWire(row) }
  })

  handle(app, routes.deleteCertificate, async ({ params, query: { keepInAccount }, caller, db, request }) => {
    const { organizationId } = caller
    const row = await findCertificate(db, organizationId, params.id)
    if (!row) throw notFound(params.id)
    if (!keepInAccount) await deleteInAccount(cloud, db, row)
    await db.transaction(async (tx) => {
      await removeCertificate(tx, organizationId, row.id)
      const details = { names: row.names, arn: row.arn, keepInAccount: keepInAccount ?? false }
      const change = { action: 'certificates.delete', resourceType, resourceId: row.id, details }
      await recordChange(tx, { caller, request }, change)
    })
  })
}

/** Deletes the certificate in the account before its row, so that a failed deletion can be repeated. */
async function deleteInAccount(cloud: Cloud, db: Db, row: CertificateRow): Promise<void> {
  if (row.arn === null && row.status !== 'FAILED') {
    const message = 'The cloud is being asked for the certificate at this moment; try again when it is.'
    throw new ApiError('certificateBusy', message)
  }
  const { arn, names, inUseBy } = row
  if (arn === null) return
  const { certificates } = await clientsOf(cloud, db, row)
  try {
    await withApiErrors(() => deleteCertificate(certificates, arn))
  } catch (error) {
    if (isInUse(error)) throw inUse('certificateInUse', `certificate of ${names[0]}`, inUseBy)
    throw error
  }
}

async function clientsOf(
  cloud: Cloud,
  db: Db,
  place: Pick<CertificateRow, 'organizationId' | 'cloudAccountId' | 'region'>,
) {
  const account = await findCloudConnection(db, place.organizationId, place.cloudAccountId)
  if (account) return cloud.clientsFor(account, place.region)
  throw new ApiError(
    'certificateAccountNotConnected',
    `The cloud account ${place.cloudAccountId} is not connected: connect it.`,
  )
}

/** Turns cloud errors into API errors, because the caller waits for the result of the call. */
async function withApiErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof CloudTransientError) {
      throw new ApiError(
        'cloudUnreachable',
        `The cloud provider cannot be reached. Try again later. Its error: ${error.message}`,
      )
    }
    if (!(error instanceof CloudPermanentError) || isInUse(error)) throw error
    throw new ApiError(
      'certificatesUnreadable',
      `The cloud provider rejected the request: ${error.reason}: ${error.message}`,
    )
  }
}

const notFound = (id: string) => missing('certificateNotFound', 'certificate', id)

const toWire = (row: CertificateRow): Certificate => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  cloudAccountId: row.cloudAccountId,
  region: row.region,
  ...(row.arn !== null && { arn: row.arn }),
  names: row.names,
  origin: row.origin,
  status: row.status,
  expiresSoon: row.expiresSoon,
  ...(row.issuedAt !== null && { issuedAt: row.issuedAt.toISOString() }),
  ...(row.expiresAt !== null && { expiresAt: row.expiresAt.toISOString() }),
  inUseBy: row.inUseBy,
  writesRecords: row.writesRecords,
  records: row.records,
  ...(row.error !== null && { error: row.error }),
  ...(row.problem !== null && { problem: row.problem }),
  ...(row.checkedAt !== null && { checkedAt: row.checkedAt.toISOString() }),
})

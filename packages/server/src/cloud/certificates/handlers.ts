import { serviceAuthor } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject, type RecordMessage } from '../../platform/engine/keyed-by-record.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import type { Cloud, CloudClients } from '../adapter/access.ts'
import { findRequested, readCertificate, requestCertificate } from '../adapter/certificates.ts'
import { CloudPermanentError, CloudTransientError } from '../adapter/cloud-call.ts'
import { findCloudConnection } from '../cloud-accounts/connection.ts'
import {
  afterPoll,
  certificateDeleted,
  certificateRejected,
  isFollowed,
  type ObservedFields,
  waitMs,
} from './machine.ts'
import { writeRecords } from './records.ts'
import { loadCertificate, saveArn, saveCertificate, saveRequest } from './store.ts'
import { type CertificateRow, certificates } from './tables.ts'
import { certificateService, toCertificate, type WakeUp } from './wake.ts'

export type CertificateParts = {
  db: Db
  cloud: Cloud
  /** Minimum and maximum interval between polls of a certificate that is not issued yet, in milliseconds. */
  pace: { minMs: number; maxMs: number }
  clock: () => Date
}

/**
 * Durable object, keyed by certificate id: requests the certificate, creates its DNS records and polls it to its end.
 */
export const certificateObject = (workOn: WorkOn<CertificateParts>) =>
  createRecordObject<CertificateParts, WakeUp>({
    service: certificateService,
    handler: 'advance',
    journaledAs: 'advance',
    workOn,
    step: advance,
  })

/** Returns wake-up messages for certificates whose wake-up is overdue. */
export const overdueCertificates = overdueIn(certificates, {
  service: certificateService,
  messagesOf: (rows) => rows.map(({ id, wakeSeq }) => toCertificate(id, { seq: wakeSeq })),
})

async function advance(parts: CertificateParts, { id, payload: { seq } }: RecordMessage<WakeUp>): Promise<Message[]> {
  const row = await loadCertificate(parts.db, id)
  if (!row || row.wakeAt === null) return []
  if (seq !== undefined && seq !== row.wakeSeq) return [] // a timer set before the last write
  return save(parts, row, await look(parts, row))
}

/** Polls the certificate and returns the changed fields, including the current problem. */
async function look({ db, cloud, clock }: CertificateParts, row: CertificateRow): Promise<Partial<ObservedFields>> {
  const account = await findCloudConnection(db, row.organizationId, row.cloudAccountId)
  if (!account) return { problem: 'Its cloud account is not connected: connect it.' }
  const clients = cloud.clientsFor(account, row.region)
  try {
    const arn = row.arn ?? (await request(db, clients, row))
    const facts = await readCertificate(clients.certificates, arn)
    // A certificate requested a moment ago may not be visible yet.
    if (!facts)
      return row.arn === null ? { status: 'PENDING_VALIDATION' } : { status: 'FAILED', error: certificateDeleted }
    return afterPoll(facts, await writeRecords(clients, row, facts), clock())
  } catch (error) {
    if (error instanceof CloudTransientError) return { problem: error.message }
    if (!(error instanceof CloudPermanentError)) throw error
    const text = `${error.reason}: ${error.message}`
    return row.status === 'REQUESTED' ? { status: 'FAILED', error: certificateRejected(text) } : { problem: text }
  }
}

/** Requests the certificate and returns its ARN. Records the attempt first, so that a retry searches for its result. */
async function request(db: Db, { certificates: acm }: CloudClients, row: CertificateRow): Promise<string> {
  const there = row.requestedAt === null ? undefined : await findRequested(acm, row)
  if (row.requestedAt === null) await saveRequest(db, row)
  const arn = there ?? (await requestCertificate(acm, row))
  await saveArn(db, row, arn)
  return arn
}

async function save({ db, pace, clock }: CertificateParts, row: CertificateRow, seen: Partial<ObservedFields>) {
  const next = { ...row, problem: null, ...seen }
  const isNews = JSON.stringify(auditedFields(next)) !== JSON.stringify(auditedFields(row))
  const idleLooks = isNews ? 0 : row.idleLooks + 1
  const now = clock()
  const delayMs = waitMs({ ...next, idleLooks }, pace, Math.random())
  const wakeAt = isFollowed(next) ? new Date(now.getTime() + delayMs) : null
  const saved = await db.transaction(async (tx) => {
    const written = await saveCertificate(tx, row, { ...next, idleLooks, wakeAt, checkedAt: now })
    if (written && isNews) await recordAudit(tx, row, next)
    return written
  })
  if (!saved) return [toCertificate(row.id)] // another process changed the row: poll again
  return saved.wakeAt === null ? [] : [toCertificate(row.id, { seq: saved.wakeSeq }, delayMs)]
}

const auditedFields = ({ status, expiresSoon, records }: ObservedFields) => ({
  status,
  expiresSoon,
  written: records.filter(({ status }) => status === 'CREATED').map(({ name }) => name),
})

const recordAudit = (tx: Db, row: CertificateRow, next: CertificateRow) =>
  recordChange(tx, serviceAuthor(row.organizationId), {
    action: 'certificates.follow',
    resourceType: 'certificate',
    resourceId: row.id,
    details: auditedFields(next),
    before: auditedFields(row),
  })

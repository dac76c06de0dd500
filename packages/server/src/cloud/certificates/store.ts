import type { CertificateStatus, CreateCertificate } from '@sluice/contract'
import { and, arrayOverlaps, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type CertificateRow, certificates } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(certificates.organizationId, organizationId), eq(certificates.id, id))

export async function insertCertificate(
  tx: Db,
  organizationId: string,
  { domainName, alternativeNames = [], writesRecords = true, cloudAccountId, region }: CreateCertificate,
  wakeAt: Date,
): Promise<CertificateRow> {
  const names = [...new Set([domainName, ...alternativeNames])]
  const asked = { origin: 'REQUESTED', status: 'REQUESTED', names, writesRecords, wakeAt } as const
  const [row] = await tx
    .insert(certificates)
    .values({ id: newId('crt'), organizationId, cloudAccountId, region, ...asked })
    .returning()
  if (!row) throw new Error('the certificate was not inserted')
  return row
}

export type FoundCertificate = { arn: string; names: string[]; wakeAt: Date }

/** Inserts certificates found in the account and returns the new ones. Sluice does not create DNS records for them. */
export async function insertFound(
  tx: Db,
  place: Pick<CertificateRow, 'organizationId' | 'cloudAccountId' | 'region'>,
  found: readonly FoundCertificate[],
): Promise<CertificateRow[]> {
  if (found.length === 0) return []
  const rows = found.map((one) => ({
    id: newId('crt'),
    ...place,
    ...one,
    origin: 'FOUND' as const,
    status: 'PENDING_VALIDATION' as const,
    writesRecords: false,
  }))
  return tx.insert(certificates).values(rows).onConflictDoNothing().returning()
}

export type CertificateFilters = {
  cloudAccountId?: string
  region?: string
  status?: CertificateStatus
  expiresSoon?: boolean
}

export function listCertificates(
  db: Db,
  organizationId: string,
  { cloudAccountId, region, status, expiresSoon }: CertificateFilters,
  page: PageBounds,
): Promise<PageRows<CertificateRow>> {
  const where = and(
    eq(certificates.organizationId, organizationId),
    cloudAccountId === undefined ? undefined : eq(certificates.cloudAccountId, cloudAccountId),
    region === undefined ? undefined : eq(certificates.region, region),
    status === undefined ? undefined : eq(certificates.status, status),
    expiresSoon === undefined ? undefined : eq(certificates.expiresSoon, expiresSoon),
  )
  return selectPage(db, certificates, where, page)
}

export async function findCertificate(db: Db, organizationId: string, id: string): Promise<CertificateRow | undefined> {
  const [row] = await db.select().from(certificates).where(one(organizationId, id))
  return row
}

/** Returns the organization's certificates for any of these domain names. */
export function certificatesNaming(
  db: Db,
  organizationId: string,
  names: string[],
): Promise<Pick<CertificateRow, 'id' | 'names' | 'status'>[]> {
  if (names.length === 0) return Promise.resolve([])
  return db
    .select({ id: certificates.id, names: certificates.names, status: certificates.status })
    .from(certificates)
    .where(and(eq(certificates.organizationId, organizationId), arrayOverlaps(certificates.names, names)))
}

/**
 * Loads a certificate for the durable object, whose key is its id. This is the one query that is not scoped by
 * organization.
 */
export async function loadCertificate(db: Db, id: string): Promise<CertificateRow | undefined> {
  const [row] = await db.select().from(certificates).where(eq(certificates.id, id))
  return row
}

type Known = Pick<CertificateRow, 'organizationId' | 'id'>

/** Records that Sluice is about to request the certificate. */
export async function saveRequest(db: Db, { organizationId, id }: Known): Promise<void> {
  await db.update(certificates).set({ requestedAt: sql`now()` }).where(one(organizationId, id))
}

export async function saveArn(db: Db, { organizationId, id }: Known, arn: string): Promise<void> {
  await db.update(certificates).set({ arn }).where(one(organizationId, id))
}

/** Saves the result of a poll, unless the row changed since it was read. */
export async function saveCertificate(
  tx: Db,
  { organizationId, id, revision, wakeSeq }: CertificateRow,
  next: CertificateRow,
): Promise<CertificateRow | undefined> {
  // The ARN and the request time are saved separately.
  const { id: _, organizationId: __, createdAt: ___, arn: ____, requestedAt: _____, ...seen } = next
  const [row] = await tx
    .update(certificates)
    .set({ ...seen, revision: revision + 1, wakeSeq: wakeSeq + 1, updatedAt: sql`now()` })
    .where(and(one(organizationId, id), eq(certificates.revision, revision)))
    .returning()
  return row
}

/** Schedules an immediate poll of the certificate. */
export async function wakeCertificate(
  tx: Db,
  organizationId: string,
  id: string,
  wakeAt: Date,
): Promise<CertificateRow | undefined> {
  const [row] = await tx
    .update(certificates)
    .set({ wakeAt, idleLooks: 0, wakeSeq: sql`${certificates.wakeSeq} + 1` })
    .where(one(organizationId, id))
    .returning()
  return row
}

export async function removeCertificate(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(certificates).where(one(organizationId, id))
}

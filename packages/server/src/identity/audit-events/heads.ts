import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { AuditHead } from '@sluice/contract'
import type { Logger } from 'pino'
import type { Archive } from '../../platform/archive/archive.ts'
import type { Keys } from '../../platform/crypto/keys.ts'
import { and, eq, gt, lt } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PeriodicTask, startPeriodicTask } from '../../platform/rounds.ts'
import { firstPreviousHash, signedTextOf } from './chain.ts'
import { auditHeads } from './tables.ts'

/** Last link of an organization's chain. */
type End = Pick<AuditHead, 'organizationId' | 'sequence' | 'hash'>

/** Signs the last link of a chain with the installation's key. */
export type SignHead = (end: End, signedAt: Date) => AuditHead

export function createSignHead(keys: Keys): SignHead {
  const [seed] = keys.secretsFor('audit heads')
  const key = ed25519KeyOf(seed)
  const { x: publicKey = '' } = createPublicKey(key).export({ format: 'jwk' })
  return (end, signedAt) => {
    const head = { ...end, signedAt: signedAt.toISOString() }
    const signature = sign(null, Buffer.from(signedTextOf(head)), key).toString('base64url')
    return { ...head, publicKey, signature }
  }
}

/** PKCS #8 prefix of a private Ed25519 key, before its 32 bytes (RFC 8410, section 7). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

const ed25519KeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' })

export async function findEnd(db: Db, organizationId: string): Promise<End> {
  const [head] = await db.select().from(auditHeads).where(eq(auditHeads.organizationId, organizationId))
  return { organizationId, sequence: head?.sequence ?? 0, hash: head?.hash ?? firstPreviousHash }
}

type ExportParts = {
  db: Db
  signHead: SignHead
  archive: Archive | undefined
  clock: () => Date
  log: Logger
}

/** Interval between exports, in milliseconds. Manipulation within an interval may go unnoticed. */
const exportEveryMs = 3_600_000
/** Delay before the first export, in milliseconds, short enough for services that restart often. */
const firstExportMs = 60_000

/** Exports the signed chain head of each organization with new events to the log and the archive, until stopped. */
export const startExportingHeads = (parts: ExportParts): PeriodicTask =>
  startPeriodicTask(() => exportHeads(parts), {
    everyMs: exportEveryMs,
    firstAfterMs: firstExportMs,
    onError: (error) => parts.log.warn({ err: error }, 'heads of the audit log could not be exported'),
  })

export async function exportHeads({ db, signHead, archive, clock, log }: ExportParts): Promise<void> {
  const { organizationId, sequence, hash, exportedSequence } = auditHeads
  const ends = await db
    .select({ organizationId, sequence, hash })
    .from(auditHeads)
    .where(gt(sequence, exportedSequence))
  const heads = ends.map((end) => signHead(end, clock()))
  // Logs all heads first, so that they are logged even if the archive fails.
  for (const head of heads) log.info({ auditHead: head }, 'the head of an audit log')
  for (const head of heads) {
    await archive?.put(objectKeyOf(head), Buffer.from(`${JSON.stringify(head)}\n`))
    await db
      .update(auditHeads)
      .set({ exportedSequence: head.sequence })
      .where(and(eq(organizationId, head.organizationId), lt(exportedSequence, head.sequence)))
  }
}

/** Names sort in the order of the chain. */
const objectKeyOf = (head: AuditHead): string =>
  `audit-heads/${head.organizationId}/${String(head.sequence).padStart(12, '0')}.json`

import { createHash } from 'node:crypto'
import type { AuditEvent, AuditHead } from '@sluice/contract'

/** Previous hash of an organization's first event. */
export const firstPreviousHash = '0'.repeat(64)

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/**
 * Returns the SHA-256 hash of an event's content as JSON with sorted keys. Excludes its link and its time, which the
 * database sets.
 */
export const contentHashOf = ({ createdAt: _, chain: __, ...content }: Partial<AuditEvent>): string =>
  sha256(canonicalJson(content))

/**
 * Returns the chain hash of an event: of the previous hash, its number, its time in milliseconds and its content hash,
 * one per line. The database computes the same in `chain_audit_event`.
 */
export const chainHashOf = (link: Omit<Link, 'hash'>, createdAt: string): string =>
  sha256([link.previousHash, link.sequence, Date.parse(createdAt), link.contentHash].join('\n'))

/** Returns the text that the signature of a chain head covers. */
export const signedTextOf = (head: Omit<AuditHead, 'publicKey' | 'signature'>): string =>
  ['sluice audit head', head.organizationId, head.sequence, head.hash, head.signedAt].join('\n')

type Link = NonNullable<AuditEvent['chain']>

/**
 * Serializes a value as JSON with sorted keys, with text as the database stores it; lone surrogates, for example, are
 * replaced.
 */
function canonicalJson(value: unknown): string {
  const plain: unknown = JSON.parse(JSON.stringify(value))
  return JSON.stringify(plain, (_, member: unknown) => {
    if (typeof member === 'string') return member.toWellFormed()
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}

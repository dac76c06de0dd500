import { createHash } from 'node:crypto'
import type { AuditEvent, AuditHead } from '@sluice/contract'

/** The previous hash of an organization's first event: there is none before it. */
export const firstPreviousHash = '0'.repeat(64)

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/**
 * The hash of what an event says, without its time, which the database sets, and without its link: SHA-256 in
 * hexadecimal of its JSON with the members of all objects in the order of their names.
 */
export const contentHashOf = ({ createdAt: _, chain: __, ...content }: Partial<AuditEvent>): string =>
  sha256(canonicalJson(content))

/**
 * The hash of an event in the chain of its organization: of the hash before it, its number, its time in milliseconds
 * and the hash of its content, each on a line. The database computes the same (`chain_audit_event`).
 */
export const chainHashOf = (link: Omit<Link, 'hash'>, createdAt: string): string =>
  sha256([link.previousHash, link.sequence, Date.parse(createdAt), link.contentHash].join('\n'))

/** What the signature of a head is about. */
export const signedTextOf = (head: Omit<AuditHead, 'publicKey' | 'signature'>): string =>
  ['sluice audit head', head.organizationId, head.sequence, head.hash, head.signedAt].join('\n')

type Link = NonNullable<AuditEvent['chain']>

/** Text that a database cannot store as it is given, such as half of a surrogate pair, is hashed as it is stored. */
function canonicalJson(value: unknown): string {
  const plain: unknown = JSON.parse(JSON.stringify(value))
  return JSON.stringify(plain, (_, member: unknown) => {
    if (typeof member === 'string') return member.toWellFormed()
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}

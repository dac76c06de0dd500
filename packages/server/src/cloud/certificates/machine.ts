import { type CertificateRecord, failures, type UserFacingError } from '@sluice/contract'
import type { CertificateFacts, Zone } from '../facts/certificates.ts'
import type { CertificateRow } from './tables.ts'

/** Fields of a certificate that a poll can change. */
export type ObservedFields = Pick<
  CertificateRow,
  'status' | 'names' | 'expiresSoon' | 'issuedAt' | 'expiresAt' | 'inUseBy' | 'records' | 'error' | 'problem'
>

/**
 * Time before expiry at which a certificate counts as expiring soon, in milliseconds. ACM renews certificates in use 45
 * days before expiry.
 */
const soonMs = 30 * 86_400_000

/** Returns the certificate's fields after a poll. `records` holds the state of the DNS validation records. */
export function afterPoll(
  facts: CertificateFacts,
  { records, problem }: { records: CertificateRecord[]; problem?: string },
  now: Date,
): ObservedFields {
  const { names, status, reason, issuedAt, expiresAt, inUseBy } = facts
  return {
    status: status,
    names,
    expiresSoon: status === 'ISSUED' && expiresAt !== undefined && expiresAt.getTime() - now.getTime() < soonMs,
    issuedAt: issuedAt ?? null,
    expiresAt: expiresAt ?? null,
    inUseBy,
    records,
    error: reason === undefined ? null : notValidated(reason),
    problem: problem ?? null,
  }
}

const notValidated = (reason: string): UserFacingError => ({
  code: failures.certificateNotValidated.code,
  message:
    reason === 'VALIDATION_TIMED_OUT'
      ? 'Its records were not found within 72 hours. Delete it, and request another.'
      : `The cloud did not issue it: ${reason}. Delete it, and ask for another once that is mended.`,
  metadata: { reason },
})

export const certificateRejected = (message: string): UserFacingError => ({
  code: failures.certificateRefused.code,
  message: `The cloud refused to make the certificate. It says: ${message}`,
})

export const certificateDeleted: UserFacingError = {
  code: failures.certificateGone.code,
  message: 'The account no longer has the certificate: it was deleted there. Delete it here as well.',
}

/** Returns the zone that is authoritative for a name: the longest matching one. */
export function zoneFor(zones: readonly Zone[], name: string): Zone | undefined {
  const above = zones.filter((zone) => name === zone.name || name.endsWith(`.${zone.name}`))
  return above.toSorted((one, other) => other.name.length - one.name.length)[0]
}

/** Reports whether Sluice continues to poll the certificate. */
export const isFollowed = ({ status }: Pick<CertificateRow, 'status'>): boolean =>
  status !== 'FAILED' && status !== 'EXPIRED'

/** Interval between polls of an issued certificate, in milliseconds. */
const issuedEveryMs = 60 * 60_000

/**
 * Returns the time until the next poll in milliseconds. It grows with each poll that finds no change, because people
 * need time to create records. `chance`, from 0 to 1, spreads the polls of many certificates.
 */
export function waitMs(
  { status, idleLooks }: Pick<CertificateRow, 'status' | 'idleLooks'>,
  { minMs, maxMs }: { minMs: number; maxMs: number },
  chance: number,
): number {
  if (status === 'ISSUED') return issuedEveryMs * (0.8 + 0.2 * chance)
  return Math.min(minMs * 2 ** Math.min(idleLooks, 20), 10 * maxMs)
}

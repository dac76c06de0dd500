import type { Certificate, CertificateRecord, CertificateStatus } from '@sluice/contract'

/** Label and color of each certificate status. */
export const certificateStatuses = {
  REQUESTED: { label: 'Requesting', color: 'gray' },
  PENDING_VALIDATION: { label: 'Pending validation', color: 'orange' },
  ISSUED: { label: 'Issued', color: 'teal' },
  EXPIRED: { label: 'Expired', color: 'red' },
  FAILED: { label: 'Failed', color: 'red' },
} as const satisfies Record<CertificateStatus, { label: string; color: string }>

/** Describes what to do about a DNS record. */
export function describeRecord({ status, zoneName, isValidated }: CertificateRecord): string {
  const seen = isValidated ? ' The cloud has verified it.' : ''
  switch (status) {
    case 'CREATED':
      return `Created in the zone ${zoneName ?? 'of the account'}.${seen}`
    case 'MANUAL':
      return isValidated ? 'The cloud has verified it.' : 'Create this record at the DNS provider of the domain.'
    case 'PENDING':
      return `Looking for its hosted zone.${seen}`
  }
}

/** Returns whether DNS records need action, so that they are expanded. */
export const needsRecords = ({ status, records, expiresSoon }: Certificate): boolean =>
  (status === 'PENDING_VALIDATION' || expiresSoon) && records.length > 0

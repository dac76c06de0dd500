import type { Certificate, CertificateRecord, CertificateStatus } from '@sluice/contract'

/** Every status of a certificate in words and colour. */
export const certificateLooks = {
  REQUESTED: { label: 'Being asked for', color: 'gray' },
  PENDING_VALIDATION: { label: 'Waits for its records', color: 'orange' },
  ISSUED: { label: 'Issued', color: 'teal' },
  EXPIRED: { label: 'Expired', color: 'red' },
  FAILED: { label: 'Failed', color: 'red' },
} as const satisfies Record<CertificateStatus, { label: string; color: string }>

/** What is to be done about a record, in words. */
export function recordWords({ standing, zoneName, isProven }: CertificateRecord): string {
  const seen = isProven ? ' The cloud has seen it.' : ''
  switch (standing) {
    case 'WRITTEN':
      return `It stands in the zone ${zoneName ?? 'of the account'}.${seen}`
    case 'BY_HAND':
      return isProven ? 'The cloud has seen it.' : 'Copy it to where the DNS of the name is kept.'
    case 'WAITING':
      return `Its zone is being looked for.${seen}`
  }
}

/** Whether somebody must do something about its records: they are shown at once. */
export const needsRecords = ({ status, records, expiresSoon }: Certificate): boolean =>
  (status === 'PENDING_VALIDATION' || expiresSoon) && records.length > 0

import type { CertificateRecord } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { describeRecord } from './certificate-status.ts'

const record: CertificateRecord = {
  names: ['shop.example.com'],
  name: '_1.shop.example.com.',
  type: 'CNAME',
  value: '_2.acm.example.',
  isValidated: false,
  status: 'MANUAL',
}

test(
  'a DNS record is shown with the action that it needs',
  everyCase(
    [
      [record, 'Create this record at the DNS provider of the domain.'],
      [{ ...record, isValidated: true }, 'The cloud has verified it.'],
      [{ ...record, status: 'PENDING' as const }, 'Looking for its hosted zone.'],
      [{ ...record, status: 'CREATED' as const, zoneName: 'example.com' }, 'Created in the zone example.com.'],
      [
        { ...record, status: 'CREATED' as const, zoneName: 'example.com', isValidated: true },
        'Created in the zone example.com. The cloud has verified it.',
      ],
    ],
    (one, words) => {
      expect(describeRecord(one)).toBe(words)
    },
  ),
)

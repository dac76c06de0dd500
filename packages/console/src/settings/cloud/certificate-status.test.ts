import type { CertificateRecord } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { recordWords } from './certificate-status.ts'

const record: CertificateRecord = {
  ...{ names: ['shop.example.com'], name: '_1.shop.example.com.', type: 'CNAME', value: '_2.acm.example.' },
  ...{ isProven: false, standing: 'BY_HAND' },
}

test(
  'a DNS record is shown with the action that it needs',
  everyCase(
    [
      [record, 'Copy it to where the DNS of the name is kept.'],
      [{ ...record, isProven: true }, 'The cloud has seen it.'],
      [{ ...record, standing: 'WAITING' as const }, 'Its zone is being looked for.'],
      [{ ...record, standing: 'WRITTEN' as const, zoneName: 'example.com' }, 'It stands in the zone example.com.'],
      [
        { ...record, standing: 'WRITTEN' as const, zoneName: 'example.com', isProven: true },
        'It stands in the zone example.com. The cloud has seen it.',
      ],
    ],
    (one, words) => {
      expect(recordWords(one)).toBe(words)
    },
  ),
)

import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { formatMetric } from './format-metric.ts'

test(
  'a metric is shown in its unit',
  everyCase(
    [
      [0.1234, 'PERCENT', '0.123 %'],
      [0.0451, 'SECONDS', '45.1 ms'],
      [2.5, 'SECONDS', '2.5 s'],
      [180.4, 'MILLISECONDS', '180 ms'],
      [12_000, 'MILLISECONDS', '12 s'],
      [1_234, 'COUNT', '1.23K'],
      [5_500_000, 'BYTES', '5.5 MB'],
      [7.25, undefined, '7.25'],
    ] as const,
    (value, unit, shown) => {
      expect(formatMetric(value, unit)).toBe(shown)
    },
  ),
)

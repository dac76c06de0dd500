import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { isPublic, type ObservedRoutes } from './networks.ts'

const table = (given: Partial<ObservedRoutes>): ObservedRoutes => ({
  networkId: 'vpc-1',
  isMain: false,
  subnetIds: [],
  leadsToInternet: false,
  ...given,
})
const main = table({ isMain: true })
const openMain = table({ isMain: true, leadsToInternet: true })

test(
  'a subnet is public if its route table leads to an internet gateway',
  everyCase(
    [
      ['the main table leads out, and the subnet has none of its own', [openMain], true],
      ['its own table leads out', [main, table({ subnetIds: ['subnet-1'], leadsToInternet: true })], true],
      ['its own table does not, though the main one does', [openMain, table({ subnetIds: ['subnet-1'] })], false],
      [
        'only the table of another subnet leads out',
        [main, table({ subnetIds: ['subnet-2'], leadsToInternet: true })],
        false,
      ],
      ['only the main table of another network leads out', [main, { ...openMain, networkId: 'vpc-2' }], false],
      ['there are no routes at all', [], false],
    ] as const,
    (_, tables, expected) => {
      expect(isPublic(tables, 'vpc-1', 'subnet-1')).toBe(expected)
    },
  ),
)

import { expect, test } from 'vitest'
import { batchesOf } from './batches.ts'

const service = (at: number, clusterArn = 'main', cloudAccountId = 'ca_1') => {
  const place = { cloudAccountId, region: 'eu-west-1', clusterArn }
  return { ...place, moduleInstanceId: `mi_${at}`, serviceArn: `service/${String(at).padStart(2, '0')}` }
}

test('ten services of a cluster are one request, with each service once', () => {
  const services = Array.from({ length: 23 }, (_, at) => service(at))
  const batches = batchesOf([...services, service(7)])
  expect(batches.map(({ serviceArns }) => serviceArns.length)).toEqual([10, 10, 3])
  expect(new Set(batches.flatMap(({ serviceArns }) => serviceArns)).size).toBe(23)
})

test('clusters and accounts have separate requests', () => {
  const batches = batchesOf([service(1), service(2, 'other'), service(3, 'main', 'ca_2')])
  expect(batches.map(({ clusterArn, cloudAccountId }) => [clusterArn, cloudAccountId])).toEqual([
    ['main', 'ca_1'],
    ['other', 'ca_1'],
    ['main', 'ca_2'],
  ])
})

test('the same services in any order result in the same requests', () => {
  const services = Array.from({ length: 15 }, (_, at) => service(at))
  expect(batchesOf(services.toReversed())).toEqual(batchesOf(services))
})

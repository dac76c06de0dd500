import type { TaskService } from './store.ts'

/** Maximum number of services in a request ("DescribeServices" in the API reference, read 2026-11). */
const maxServicesPerRequest = 10

/** Services of one request to the cloud. */
export type Batch = Pick<TaskService, 'cloudAccountId' | 'region' | 'clusterArn'> & { serviceArns: string[] }

/**
 * Groups services by cluster into as few requests as possible, each service once. Sorts them, so that callers with the
 * same services make the same requests and can share them.
 */
export function batchesOf(services: readonly Omit<TaskService, 'isVersionUnknown'>[]): Batch[] {
  const byCluster = Map.groupBy(services, ({ cloudAccountId, region, clusterArn }) =>
    JSON.stringify([cloudAccountId, region, clusterArn]),
  )
  return [...byCluster.values()].flatMap((ofOne) => {
    const [first] = ofOne
    if (!first) return []
    const { cloudAccountId, region, clusterArn } = first
    const arns = [...new Set(ofOne.map(({ serviceArn }) => serviceArn))].sort()
    const starts = Array.from(
      { length: Math.ceil(arns.length / maxServicesPerRequest) },
      (_, at) => at * maxServicesPerRequest,
    )
    return starts.map((from) => ({
      cloudAccountId,
      region,
      clusterArn,
      serviceArns: arns.slice(from, from + maxServicesPerRequest),
    }))
  })
}

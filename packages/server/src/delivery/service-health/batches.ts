import type { TaskService } from './store.ts'

/** So many services are described at once ("DescribeServices" in the API reference, read 2026-11). */
const mostDescribed = 10

/** Services that one request to the cloud tells of. */
export type Batch = Pick<TaskService, 'cloudAccountId' | 'region' | 'clusterArn'> & { serviceArns: string[] }

/**
 * As few requests as tell of all: those of one cluster together, each service once. In an order of their own, so that
 * all who ask for the same make the same requests, and share them.
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
    const starts = Array.from({ length: Math.ceil(arns.length / mostDescribed) }, (_, at) => at * mostDescribed)
    return starts.map((from) => ({
      ...{ cloudAccountId, region, clusterArn },
      serviceArns: arns.slice(from, from + mostDescribed),
    }))
  })
}

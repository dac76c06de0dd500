import type { DeploymentResource } from '@sluice/contract'
import type { CloudClients } from '../../cloud/adapter/access.ts'
import { readDistribution, readInvalidation } from '../../cloud/adapter/content-network.ts'
import { readCompleteService } from '../../cloud/adapter/ecs/running.ts'
import { peekActive } from '../../cloud/adapter/key-value-store.ts'
import { readVersions } from '../../cloud/adapter/lambda/running.ts'
import { readMachines } from '../../cloud/adapter/machines/groups.ts'
import { countFiles } from '../../cloud/adapter/storage.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'
import { maxResources, type ObservedResources, type ObservedSite, resourcesOf } from './representation.ts'

export type Resources = { all: DeploymentResource[]; isComplete: boolean }

/**
 * Maximum number of tasks that are read when a deployment has ended, to determine the image digests. Twice the stored
 * number, because tasks of other releases are excluded.
 */
const maxTasksAtEnd = 2 * maxResources
/** Maximum number of tasks while a deployment is in progress: one page per request. */
const maxTasksDuring = 100

/**
 * Reads the resources that a deployment changed, and what runs because of it. At its end, reads more of them, because
 * they are stored.
 */
export async function readResources(
  clients: CloudClients,
  row: DeploymentRow,
  { isAtEnd }: { isAtEnd: boolean },
): Promise<Resources> {
  const { isComplete, seen } = await look(clients, row, isAtEnd ? maxTasksAtEnd : maxTasksDuring)
  const all = resourcesOf(row, seen)
  return { all: all.slice(0, maxResources), isComplete: isComplete && all.length <= maxResources }
}

async function look(
  clients: CloudClients,
  row: DeploymentRow,
  mostTasks: number,
): Promise<{ seen: ObservedResources; isComplete: boolean }> {
  const { release } = row
  switch (release.type) {
    case 'cloud:ecs': {
      const service = await readCompleteService(clients, release, mostTasks)
      return { seen: { type: release.type, service }, isComplete: service.isComplete }
    }
    case 'cloud:ec2': {
      const { all, isComplete } = await readMachines(clients.autoScaling, release.autoScalingGroupName)
      return { seen: { type: release.type, machines: all }, isComplete }
    }
    case 'cloud:lambda': {
      const { all } = await readVersions(clients.lambda, release)
      // The representation excludes versions of other releases.
      return { seen: { type: release.type, versions: all }, isComplete: true }
    }
    case 'cloud:static':
      return { seen: { type: release.type, site: await readSite(clients, row) }, isComplete: true }
  }
}

/** Maximum number of invalidations that are read again; for older ones, the row has the last status. */
const maxInvalidations = 10

async function readSite(
  { storage, keyValues, contentNetwork }: CloudClients,
  { release, data }: DeploymentRow,
): Promise<ObservedSite> {
  if (release.type !== 'cloud:static' || data.type !== 'cloud:static') throw new Error('it is no site')
  const open = (data.invalidations ?? []).filter(({ status }) => status !== 'Completed').slice(-maxInvalidations)
  const [active, objectCount, distributions, invalidations] = await Promise.all([
    peekActive(keyValues, release.keyValueStoreArn),
    countFiles(storage, release.bucket, release.prefix),
    Promise.all(release.distributions.map((one) => readDistribution(contentNetwork, one))),
    Promise.all(open.map((one) => readInvalidation(contentNetwork, one))),
  ])
  return {
    active,
    objectCount,
    distributions: distributions.map(({ shown: { distributionId: id, status, domainName } }) => ({
      id,
      status,
      domainName,
    })),
    invalidations: invalidations.map(({ invalidationId: id, status }) => ({ id, status })),
  }
}

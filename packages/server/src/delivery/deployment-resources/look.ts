import type { DeploymentResource } from '@sluice/contract'
import type { CloudClients } from '../../cloud/adapter/access.ts'
import { readDistribution, readInvalidation } from '../../cloud/adapter/content-network.ts'
import { readServiceWhole } from '../../cloud/adapter/ecs/running.ts'
import { peekActive } from '../../cloud/adapter/key-value-store.ts'
import { readVersions } from '../../cloud/adapter/lambda/running.ts'
import { readMachines } from '../../cloud/adapter/machines/groups.ts'
import { countFiles } from '../../cloud/adapter/storage.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'
import { mostShown, resourcesOf, type Seen, type SiteSeen } from './shown.ts'

export type Resources = { all: DeploymentResource[]; isComplete: boolean }

/**
 * So many tasks are looked at once a deployment has ended: by them it is known which images all of them ran. Twice what
 * is kept, as those of other releases are left out of that.
 */
const mostTasksAtEnd = 2 * mostShown
/** While people look on, it is one page for each look. */
const mostTasksMeanwhile = 100

/** Asks the cloud what a deployment touched, and what runs because of it; at its end thoroughly, as it is kept. */
export async function lookAtResources(
  clients: CloudClients,
  row: DeploymentRow,
  { isAtEnd }: { isAtEnd: boolean },
): Promise<Resources> {
  const { isComplete, seen } = await look(clients, row, isAtEnd ? mostTasksAtEnd : mostTasksMeanwhile)
  const all = resourcesOf(row, seen)
  return { all: all.slice(0, mostShown), isComplete: isComplete && all.length <= mostShown }
}

async function look(
  clients: CloudClients,
  row: DeploymentRow,
  mostTasks: number,
): Promise<{ seen: Seen; isComplete: boolean }> {
  const { release } = row
  switch (release.type) {
    case 'cloud:ecs': {
      const service = await readServiceWhole(clients, release, mostTasks)
      return { seen: { type: release.type, service }, isComplete: service.isComplete }
    }
    case 'cloud:ec2': {
      const { all, isComplete } = await readMachines(clients.autoScaling, release.autoScalingGroupName)
      return { seen: { type: release.type, machines: all }, isComplete }
    }
    case 'cloud:lambda': {
      const { all } = await readVersions(clients.lambda, release)
      // Versions of other releases are not shown.
      return { seen: { type: release.type, versions: all }, isComplete: true }
    }
    case 'cloud:static':
      return { seen: { type: release.type, site: await lookAtSite(clients, row) }, isComplete: true }
  }
}

/** So many invalidations are looked at anew; what they had been before stands in the row. */
const mostInvalidations = 10

async function lookAtSite(
  { storage, keyValues, contentNetwork }: CloudClients,
  { release, data }: DeploymentRow,
): Promise<SiteSeen> {
  if (release.type !== 'cloud:static' || data.type !== 'cloud:static') throw new Error('it is no site')
  const open = (data.invalidations ?? []).filter(({ status }) => status !== 'Completed').slice(-mostInvalidations)
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

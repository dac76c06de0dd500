import type { CloudClients } from '../../cloud/adapter/access.ts'
import { readTasks } from '../../cloud/adapter/ecs/running.ts'
import { peekActive } from '../../cloud/adapter/key-value-store.ts'
import { readVersions } from '../../cloud/adapter/lambda/running.ts'
import { readMachines } from '../../cloud/adapter/machines/groups.ts'
import type { ObservedTasks } from '../../cloud/facts/running.ts'
import type { TaskPlace } from './target.ts'

/** Reads the running tasks, versions or instances from the cloud. */
export function readInstanceTasks(clients: CloudClients, place: TaskPlace): Promise<ObservedTasks> {
  switch (place.type) {
    case 'cloud:ecs':
      return readTasks(clients, place)
    case 'cloud:ec2':
      return readMachines(clients.autoScaling, place.groupName)
    case 'cloud:lambda':
      return readVersions(clients.lambda, place)
    case 'cloud:static':
      return readSite(clients, place.keyValueStoreArn)
  }
}

/** Reads the served directory of a site, which has no tasks. */
async function readSite({ keyValues }: CloudClients, store: string): Promise<ObservedTasks> {
  const active = await peekActive(keyValues, store)
  const common = { kind: 'DIRECTORY', status: 'Served', isStopped: false, health: 'UNKNOWN', hasLog: false } as const
  return { all: active === undefined ? [] : [{ id: active, ...common }], isComplete: true }
}

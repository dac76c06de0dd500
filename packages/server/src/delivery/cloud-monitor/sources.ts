import type { ModuleInstanceUi } from '@sluice/contract'
import type { Cloud, CloudClients } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import { findModuleInstance } from '../../modules/module-instances/store.ts'
import { uisOf } from '../../modules/module-instances/wire.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { missing } from '../../platform/http/references.ts'

export type LogView = NonNullable<ModuleInstanceUi['logs']>[number]
export type MetricView = NonNullable<ModuleInstanceUi['metrics']>[number]

/** Returns the current `ui` section of the instance. */
async function uiOfInstance(db: Db, organizationId: string, id: string): Promise<ModuleInstanceUi> {
  const instance = await findModuleInstance(db, organizationId, id)
  if (!instance) throw missing('moduleInstanceNotFound', 'module instance', id)
  return (await uisOf(db, organizationId, [instance])).get(id) ?? {}
}

/** Returns the log with this id, or the first one. Returns undefined if no id is given and there is no log. */
export async function findLogView(
  db: Db,
  organizationId: string,
  instanceId: string,
  sourceId: string | undefined,
): Promise<LogView | undefined> {
  const { logs = [] } = await uiOfInstance(db, organizationId, instanceId)
  if (sourceId === undefined) return logs[0]
  return logs.find(({ id }) => id === sourceId) ?? rejectUnknown('log', sourceId, logs)
}

/** Returns the metrics with these ids, or all of them, in the order of the `ui` section. */
export async function findMetricViews(
  db: Db,
  organizationId: string,
  instanceId: string,
  metricIds: readonly string[] | undefined,
): Promise<MetricView[]> {
  const { metrics = [] } = await uiOfInstance(db, organizationId, instanceId)
  for (const wanted of metricIds ?? []) {
    if (!metrics.some(({ id }) => id === wanted)) rejectUnknown('metric', wanted, metrics)
  }
  return metrics.filter(({ id }) => metricIds?.includes(id) ?? true)
}

function rejectUnknown(what: string, wanted: string, there: readonly { id: string }[]): never {
  const known = there.length === 0 ? 'it has none' : `it has ${there.map(({ id }) => id).join(', ')}`
  throw new ApiError('monitorSourceNotFound', `The module instance has no ${what} ${wanted}; ${known}.`)
}

type Place = { cloud_account_id: string; region: string }

/**
 * Returns clients for the account of a log or metric. It must belong to the same organization, whatever the module
 * names.
 */
export async function clientsOf(
  db: Db,
  cloud: Cloud,
  organizationId: string,
  { cloud_account_id: id, region }: Place,
): Promise<CloudClients> {
  const account = await findCloudConnection(db, organizationId, id)
  if (account) return cloud.clientsFor(account, region)
  throw new ApiError('monitorSourceNotConnected', `The cloud account ${id} is not connected. Connect it first.`)
}

/** Reads from the cloud for a caller, and converts the cloud's errors to API errors. */
export async function withApiErrors<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof CloudPermanentError) {
      const words = `${error.reason}: ${error.message}`
      throw new ApiError('monitorSourceRefused', `The cloud provider did not return the ${what}. Its error: ${words}`)
    }
    if (error instanceof CloudTransientError) {
      throw new ApiError(
        'cloudUnreachable',
        `The cloud provider cannot be reached. Try again later. Its error: ${error.message}`,
      )
    }
    throw error
  }
}

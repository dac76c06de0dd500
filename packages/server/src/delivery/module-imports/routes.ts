import { failures, type ImportableType, type ImportModuleInstance, routes } from '@sluice/contract'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { findCloudConnection, findConnectionByNumber } from '../../cloud/cloud-accounts/connection.ts'
import { findCloudAccount } from '../../cloud/cloud-accounts/store.ts'
import type { ImportablePage } from '../../cloud/facts/importable.ts'
import { clocksFor } from '../../cloud/observations/clocks.ts'
import { ObservationCache } from '../../cloud/observations/observation-cache.ts'
import { NotConnected, valueOrError } from '../../cloud/observations/observation-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { listed } from '../../platform/http/listed.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { findEnvironment } from '../../projects/environments/store.ts'
import { listCandidates, serializeCandidates } from './candidates.ts'
import { readContainerService } from './container-service.ts'
import type { Blockers, ImportDraft, ReadParts } from './found.ts'
import { readFunction } from './function.ts'
import { importInstance, type ResourceRead } from './import.ts'
import { placeOfArn } from './place.ts'

const { resourcesNotShown } = failures

/**
 * Cache and rate settings. A page of container services takes up to 60 of the 20 requests per second of an account
 * ("Request throttling for the Amazon ECS API", read 2026-11), so pages are spaced and cached.
 */
const pace = { cacheTtlMs: 5_000, minIntervalMs: 1_000, maxWaitMs: 4_000 }

type Parts = { cloud: Cloud; clock: () => Date }

/** Serves imports of running resources of a cloud account, which are only read. */
export function serveModuleImports(app: App, { cloud, clock }: Parts): void {
  const looks = new ObservationCache<ImportablePage>({ ...pace, ...clocksFor(app, clock) })

  handle(app, routes.listImportable, async ({ params: { id }, query, caller: { organizationId }, db }) => {
    if (!(await findCloudAccount(db, organizationId, id))) throw missing('cloudAccountNotFound', 'cloud account', id)
    const account = await findCloudConnection(db, organizationId, id)
    const wish = { ...query, cloudAccountId: id }
    const page = await valueOrError(resourcesNotShown.code, async () => {
      if (!account) throw new NotConnected(id)
      const key = JSON.stringify([organizationId, account.roleArn, wish])
      const look = () => listCandidates(cloud.clientsFor(account, query.region), wish)
      return (await looks.get(id, key, look)).value
    })
    if ('error' in page) return { data: [], meta: { limit: query.limit, nextCursor: '', error: page.error } }
    return serializeCandidates(db, organizationId, page.value, wish)
  })

  handle(
    app,
    routes.importModuleInstance,
    async ({ body: { data }, caller, db, request, reply }, reading: ResourceRead) => {
      const { made, isNew } = await importInstance(db, { asking: { caller, request }, reading }, data)
      if (!isNew) reply.code(200)
      return { data: made }
    },
    // Outside of any transaction, because the cloud may be slow.
    ({ body: { data }, caller: { organizationId }, db }) => read({ cloud, clock, db, organizationId }, data),
  )
}

const readers: Record<ImportableType, (parts: ReadParts) => Promise<ImportDraft | Blockers>> = {
  'cloud:ecs': readContainerService,
  'cloud:lambda': readFunction,
}

async function read(
  { cloud, clock, db, organizationId }: Parts & { db: Db; organizationId: string },
  { environmentId, resourceArn, aliasName }: ImportModuleInstance,
): Promise<ResourceRead> {
  if (!(await findEnvironment(db, organizationId, environmentId))) {
    throw referenceNotFound('environmentId', 'environment', environmentId)
  }
  const place = placeOfArn(resourceArn)
  const account = await findConnectionByNumber(db, organizationId, place.accountNumber)
  if (!account) throw notConnected(place.accountNumber)
  const readAt = clock()
  const clients = cloud.clientsFor(account, place.region)
  const found = await withApiErrors(() =>
    readers[place.type]({ clients, cloudAccountId: account.id, place, aliasName, clock }),
  )
  if (!('blockers' in found)) return { found, cloudAccountId: account.id, readAt }
  throw new ApiError('importNotPossible', `${resourceArn} cannot be imported in its current state.`, {
    details: listed('In the way', found.blockers),
  })
}

const notConnected = (named: string) =>
  new ApiError('cloudAccountNotConnected', `The cloud account ${named} is not connected. Connect it first.`)

/** Reads from the cloud for a caller, and converts the cloud's errors to API errors. */
async function withApiErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof CloudPermanentError) {
      throw new ApiError(
        'importRefused',
        `The cloud provider did not return what can be imported. Its error: ${error.reason}: ${error.message}`,
      )
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

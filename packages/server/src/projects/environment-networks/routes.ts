import { type DefaultNetwork, routes } from '@sluice/contract'
import { findCloudAccount } from '../../cloud/cloud-accounts/store.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { findEnvironment, lockEnvironment } from '../environments/store.ts'
import { findNetwork, removeNetwork, saveNetwork } from './store.ts'

/**
 * Serves the default network of an environment's services. Does not validate it in the cloud, which may be unavailable.
 */
export function serveEnvironmentNetworks(app: App): void {
  handle(app, routes.getEnvironmentNetwork, async ({ params: { id }, caller: { organizationId }, db }) => {
    if (!(await findEnvironment(db, organizationId, id))) throw notFound(id)
    return { data: serialize(await findNetwork(db, organizationId, id)) }
  })

  handle(app, routes.updateEnvironmentNetwork, (call) => {
    const { params, body, caller, db } = call
    const { organizationId } = caller
    const { cloudAccountId } = body.data
    return db.transaction(async (tx) => {
      const environment = await lockEnvironment(tx, organizationId, params.id)
      if (!environment) throw notFound(params.id)
      if (!(await findCloudAccount(tx, organizationId, cloudAccountId))) {
        throw referenceNotFound('cloudAccountId', 'cloud account', cloudAccountId)
      }
      const before = await findNetwork(tx, organizationId, params.id)
      await saveNetwork(tx, environment, body.data)
      const { id: environmentId, projectId } = environment
      const of = { projectId, environmentId }
      const change = { action: 'environments.set-network', resourceType: 'environment', resourceId: environmentId, of }
      await recordChange(tx, call, { ...change, details: body.data, ...present({ before }) })
      return { data: serialize(body.data) }
    })
  })

  handle(app, routes.deleteEnvironmentNetwork, (call) => {
    const { params, caller, db } = call
    const { organizationId } = caller
    return db.transaction(async (tx) => {
      const environment = await lockEnvironment(tx, organizationId, params.id)
      if (!environment) throw notFound(params.id)
      const before = await findNetwork(tx, organizationId, params.id)
      if (!before) return
      await removeNetwork(tx, organizationId, params.id)
      const { id: environmentId, projectId } = environment
      const of = { projectId, environmentId }
      const about = { resourceType: 'environment', resourceId: environmentId, of }
      await recordChange(tx, call, { action: 'environments.remove-network', ...about, before })
    })
  })
}

const serialize = (network: DefaultNetwork | undefined) => present({ default: network })

const notFound = (id: string) => missing('environmentNotFound', 'environment', id)

import type { ReconcileDeployments } from '../../../gates/reconcile.ts'
import { overdueIn } from '../../../platform/engine/overdue.ts'
import { wakeQueued } from '../store/store.ts'
import { deployments } from '../store/tables.ts'
import { deploymentService, toDeployment } from './wake.ts'

/**
 * Finds deployments whose wake-up is overdue and returns their messages. A queued deployment's timer is never outdated.
 */
export const overdueDeployments = overdueIn(deployments, {
  service: deploymentService,
  messagesOf: (rows) =>
    rows.map(({ id, status, wakeSeq }) => toDeployment(id, status === 'PENDING' ? {} : { seq: wakeSeq })),
})

/** Returns the messages that have queued deployments start or wait by the current gates. */
export const reconcileQueued: ReconcileDeployments = async (tx, organizationId, now, part) =>
  (await wakeQueued(tx, organizationId, now, part)).map((id) => toDeployment(id))

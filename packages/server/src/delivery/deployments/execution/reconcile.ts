import type { ReconcileDeployments } from '../../../gates/reconcile.ts'
import { overdueIn } from '../../../platform/engine/overdue.ts'
import { wakeWaiting } from '../store/store.ts'
import { deployments } from '../store/tables.ts'
import { deploymentService, toDeployment } from './wake.ts'

/** The messages of the deployments whose wake-up is overdue; one that waits for its turn has no timer out of date. */
export const overdueDeployments = overdueIn(deployments, {
  service: deploymentService,
  messagesOf: (rows) =>
    rows.map(({ id, status, wakeSeq }) => toDeployment(id, status === 'PENDING' ? {} : { seq: wakeSeq })),
})

/** Returns the messages that have queued deployments start or wait by the gates as they are now. */
export const reconcileQueued: ReconcileDeployments = async (tx, organizationId, now, part) =>
  (await wakeWaiting(tx, organizationId, now, part)).map((id) => toDeployment(id))

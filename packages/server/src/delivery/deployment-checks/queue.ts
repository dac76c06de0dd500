import type { DeploymentCheck } from '@sluice/contract'
import { admissionTo, queueFullMessage } from '../deployments/create/accept.ts'
import type { Queue } from '../deployments/store/store.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'
import type { Release } from '../deployments/types/release.ts'
import type { Finding } from './findings.ts'

/** Returns the effect of the module instance's queue on the deployment, and the deployments before it. */
export function checkQueue(queued: Queue, release: Release): { findings: Finding[]; queue: DeploymentCheck['queue'] } {
  const { pending, admission } = admissionTo(queued, release)
  const leaving = admission.accept === 'waits' ? admission.superseded : []
  const staying = queued.pending.filter(({ id }) => !leaving.includes(id))
  const queue = [...(queued.active ? [queued.active] : []), ...staying].map(representQueued)
  return { findings: findingsOf(admission, pending, release), queue }
}

const representQueued = ({ id, status, description, createdAt }: DeploymentRow) => ({
  deploymentId: id,
  status,
  description,
  createdAt: createdAt.toISOString(),
})

const path = 'deploy.concurrency'

function findingsOf(
  admission: ReturnType<typeof admissionTo>['admission'],
  pending: readonly DeploymentRow[],
  release: Release,
): Finding[] {
  switch (admission.accept) {
    case 'no':
      return [
        {
          severity: 'ERROR',
          code: 'QUEUE_FULL',
          path,
          message: queueFullMessage(pending, release),
          remedy: 'Wait until one of them ends, cancel one, or raise queue_size.',
        },
      ]
    case 'gives-way':
      return [
        {
          severity: 'ERROR',
          code: 'SUPERSEDED_BY_QUEUED',
          path,
          message: `The queue is full, so the deployment would be cancelled in favor of ${admission.to}.`,
          remedy: `Wait until ${admission.to} ends, or cancel it.`,
        },
      ]
    case 'waits':
      return admission.superseded.map((id) => ({
        severity: 'INFO',
        code: 'SUPERSEDES_QUEUED',
        path,
        message: `The queue is full, so the deployment would replace ${id}, which waits.`,
        remedy: `Wait until ${id} ends if it must be released.`,
      }))
  }
}

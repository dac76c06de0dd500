import type { DeploymentEvent } from '@sluice/contract'
import type { NewDeployment, Queue } from '../store/store.ts'
import { typeOf } from '../types/deployment-types.ts'

/** Adds a first event that names the deployments that a new deployment waits for. Adds nothing if it can start now. */
export function queuedBehind(row: NewDeployment, { active, pending }: Queue, now: Date): NewDeployment {
  const [next, ...others] = [...(active ? [active] : []), ...pending]
  if (!next) return row
  const queued: DeploymentEvent = {
    currentStep: 1,
    totalSteps: typeOf(row).trackOf(row.release).length,
    stepCode: 'QUEUED',
    startedAt: now.toISOString(),
    message: `It waits until ${next.id} is over${othersInWords(others.length)}.`,
  }
  return { ...row, data: { ...row.data, events: [queued] } }
}

function othersInWords(count: number): string {
  if (count === 0) return ''
  return count === 1 ? ', and one more that comes before it' : `, and ${count} more that come before it`
}

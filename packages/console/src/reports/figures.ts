import type { DeliveryFigure, RunFigure } from '@sluice/contract'

type Words = {
  /** Title of the records. */
  title: string
  /** Label of the measured value. */
  measured: string
}

export const deliveryFigures = {
  DEPLOYMENTS: { title: 'Successful deployments', measured: 'Took' },
  CHANGES: { title: 'Changes', measured: 'Took' },
  FAILURES: { title: 'Failed changes', measured: 'Took' },
  RESTORES: { title: 'Recovered failures', measured: 'Restored after' },
  COMMITS_KNOWN: { title: 'Deployments with a known commit', measured: 'Lead time' },
  PAUSES: { title: 'Deployment pauses', measured: 'Waited' },
  PAUSES_WAITING: { title: 'Deployments paused now', measured: 'Waited' },
} as const satisfies Record<DeliveryFigure, Words>

export const runFigures = {
  RUNS: { title: 'Finished runs', measured: 'Took' },
  SUCCEEDED: { title: 'Successful runs', measured: 'Took' },
  FAILED: { title: 'Failed runs', measured: 'Took' },
  CANCELLED: { title: 'Cancelled runs', measured: 'Took' },
  APPROVALS_REQUESTED: { title: 'Approvals requested', measured: 'Waited' },
  APPROVALS_APPROVED: { title: 'Approvals granted', measured: 'Waited' },
  APPROVALS_REJECTED: { title: 'Approvals rejected', measured: 'Waited' },
  APPROVALS_EXPIRED: { title: 'Approvals expired', measured: 'Waited' },
  APPROVALS_WAITING: { title: 'Approvals waiting now', measured: 'Waited' },
  STEPS: { title: 'Executed steps', measured: 'Took' },
  STEPS_FAILED: { title: 'Failed steps', measured: 'Took' },
} as const satisfies Record<RunFigure, Words>

export type Figure = DeliveryFigure | RunFigure

export const isDeliveryFigure = (word: string | undefined): word is DeliveryFigure =>
  word !== undefined && Object.hasOwn(deliveryFigures, word)
export const isRunFigure = (word: string | undefined): word is RunFigure =>
  word !== undefined && Object.hasOwn(runFigures, word)

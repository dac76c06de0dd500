import type { DeliveryFigure, RunFigure } from '@sluice/contract'

type Words = {
  /** What the records are called. */
  title: string
  /** What was measured of each. */
  measured: string
}

export const deliveryFigures = {
  DEPLOYMENTS: { title: 'Deployments that succeeded', measured: 'Took' },
  CHANGES: { title: 'Changes', measured: 'Took' },
  FAILURES: { title: 'Changes that failed', measured: 'Took' },
  RESTORES: { title: 'Failures that were mended', measured: 'Worked again after' },
  COMMITS_KNOWN: { title: 'Deployments with a known commit', measured: 'Lead time' },
  PAUSES: { title: 'Pauses of deployments', measured: 'Waited' },
  PAUSES_WAITING: { title: 'Pauses that wait', measured: 'Waited' },
} as const satisfies Record<DeliveryFigure, Words>

export const runFigures = {
  RUNS: { title: 'Runs that ended', measured: 'Took' },
  SUCCEEDED: { title: 'Runs that succeeded', measured: 'Took' },
  FAILED: { title: 'Runs that failed', measured: 'Took' },
  CANCELLED: { title: 'Runs that were cancelled', measured: 'Took' },
  APPROVALS_REQUESTED: { title: 'Approvals that were asked for', measured: 'Waited' },
  APPROVALS_APPROVED: { title: 'Approvals that were given', measured: 'Waited' },
  APPROVALS_REJECTED: { title: 'Approvals that were turned down', measured: 'Waited' },
  APPROVALS_EXPIRED: { title: 'Approvals without a decision', measured: 'Waited' },
  APPROVALS_WAITING: { title: 'Approvals that wait', measured: 'Waited' },
  STEPS: { title: 'Steps that were carried out', measured: 'Took' },
  STEPS_FAILED: { title: 'Steps that failed', measured: 'Took' },
} as const satisfies Record<RunFigure, Words>

export type Figure = DeliveryFigure | RunFigure

export const isDeliveryFigure = (word: string | undefined): word is DeliveryFigure =>
  word !== undefined && Object.hasOwn(deliveryFigures, word)
export const isRunFigure = (word: string | undefined): word is RunFigure =>
  word !== undefined && Object.hasOwn(runFigures, word)

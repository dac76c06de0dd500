import type { Deployment, DeploymentAnalysis } from '@sluice/contract'
import { pendingPause } from '@sluice/contract/states'

/** Whether a deployment is at a pause that a person must end: where checks are at it, they do, unless they gave up. */
export function waitsForPerson(deployment: Deployment, analyses: readonly DeploymentAnalysis[] = []): boolean {
  const pause = pendingPause(deployment)
  if (!pause) return false
  return !analyses.some(({ hookId, outcome }) => hookId === pause.hookId && outcome === 'RUNNING')
}

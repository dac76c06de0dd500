import type { Deployment, DeploymentAnalysis } from '@sluice/contract'
import { pendingPause } from '@sluice/contract/states'

/** Returns whether a pause needs a person. Running checks end the pause themselves unless they are inconclusive. */
export function needsDecision(deployment: Deployment, analyses: readonly DeploymentAnalysis[] = []): boolean {
  const pause = pendingPause(deployment)
  if (!pause) return false
  return !analyses.some(({ hookId, outcome }) => hookId === pause.hookId && outcome === 'RUNNING')
}

import type { Hook } from '../progress.ts'
import type { EcsStanding } from './standing.ts'
import { labelOf } from './track.ts'

/** What is agreed to by whoever continues this pause. */
export function labelOfHook({ data }: EcsStanding, { lifecycleStage }: Hook) {
  const weight = data.serviceDeploymentState?.targetServiceRevision?.requestedProductionTrafficWeight ?? 0
  return labelOf(lifecycleStage, weight)
}

import type { Deployment, DeploymentEvent, EcsDeploymentData } from '@sluice/contract'
import { ecsOf, pendingPause } from './shown.ts'

export type Stage = {
  code: DeploymentEvent['stepCode']
  state: 'done' | 'current' | 'paused' | 'failed' | 'to come'
}

/** What a deployment goes through, by its strategy; the events of one that is over tell what it went through. */
export function stagesOf(deployment: Deployment): Stage[] {
  const data = ecsOf(deployment)
  if (!data) return []
  const track = trackOf(data)
  const reached = new Set(data.events?.map(({ stepCode }) => stepCode))
  const last = track.findLastIndex((code) => reached.has(code))
  return track.map((code, index) => ({ code, state: stateOf(deployment, index, last) }))
}

function stateOf(deployment: Deployment, index: number, last: number): Stage['state'] {
  if (deployment.status === 'SUCCESS' || index < last) return 'done'
  if (index > last) return 'to come'
  if (pendingPause(deployment)) return 'paused'
  return deployment.status === 'IN_PROGRESS' || deployment.status === 'PENDING' ? 'current' : 'failed'
}

/** As the service numbers them; production traffic may shift several times, and is one stage here. */
function trackOf({ strategy }: EcsDeploymentData): Stage['code'][] {
  const isRolling = strategy === undefined || strategy === 'rolling'
  const start = ['INIT', 'REGISTER_RELEASE', 'UPDATE_SERVICE', 'SCALE_UP'] as const
  if (isRolling) return [...start, 'COMPLETED']
  return [...start, 'TEST_TRAFFIC_SHIFT', 'PRODUCTION_TRAFFIC_SHIFT', 'BAKE', 'CLEAN_UP', 'COMPLETED']
}

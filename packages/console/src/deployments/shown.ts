import type { Deployment, DeploymentEvent, EcsDeploymentData } from '@sluice/contract'
import type { ShownStatus } from '../ui/status-badge.tsx'

const finals: readonly Deployment['status'][] = ['SUCCESS', 'ERROR', 'CANCELLED', 'ROLLED_BACK']

export const isOver = ({ status }: Deployment): boolean => finals.includes(status)

/** What a deployment of a container service knows; undefined for other kinds. */
export const ecsOf = ({ data }: Deployment): EcsDeploymentData | undefined =>
  data?.type === 'cloud:ecs' ? data : undefined

/** The event of the pause that waits for somebody now, if one does. */
export function pendingPause(deployment: Deployment): DeploymentEvent | undefined {
  if (deployment.status !== 'IN_PROGRESS') return undefined
  const events = ecsOf(deployment)?.events ?? []
  const latest = events.findLast(({ hookId }) => hookId !== undefined)
  return latest?.stepCode === 'PAUSED' ? latest : undefined
}

/** The status as people say it: one that waits for them is paused. */
export const shownStatus = (deployment: Deployment): ShownStatus =>
  pendingPause(deployment) ? 'PAUSED' : deployment.status

/** The last part of the image of the first container, such as `web:2.0.0`. */
export function imageOf(definition: Record<string, unknown> | undefined): string | undefined {
  const [first] = (definition?.containerDefinitions ?? []) as { image?: string }[]
  return first?.image?.split('/').at(-1)
}

const stageNames: Partial<Record<DeploymentEvent['stepCode'], string>> = {
  INIT: 'Begin',
  PRE_DEPLOY: 'Before',
  REGISTER_RELEASE: 'Register',
  UPDATE_SERVICE: 'Update service',
  SCALE_UP: 'Scale up',
  TEST_TRAFFIC_SHIFT: 'Test traffic',
  PRODUCTION_TRAFFIC_SHIFT: 'Production traffic',
  BAKE: 'Bake',
  CLEAN_UP: 'Clean up',
  POST_DEPLOY: 'After',
  COMPLETED: 'Completed',
  PAUSED: 'Paused',
  CONTINUED: 'Continued',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
  ROLLBACK_STARTED: 'Rollback started',
  ROLLED_BACK: 'Rolled back',
}

export const stageName = (code: DeploymentEvent['stepCode']): string => stageNames[code] ?? code

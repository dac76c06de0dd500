import type { Deployment } from '@sluice/contract'
import { pendingPause } from '@sluice/contract/states'
import type { DisplayStatus } from '../ui/status-badge.tsx'

/**
 * Returns the cloud's name of the deployment target. For a site, returns the bucket, because a distribution has only
 * an ID.
 */
export const targetName = ({ data, resourceName, deploymentType }: Deployment): string =>
  data?.type === 'cloud:static' ? data.bucket : (resourceName ?? deploymentType)

/** Returns who triggered the deployment. */
export const triggeredBy = ({ data, triggerSource }: Deployment): string => data?.triggeredBy ?? triggerSource

/** Returns the displayed status: a deployment with a pending pause is paused. */
export const displayStatus = (deployment: Deployment): DisplayStatus =>
  pendingPause(deployment) ? 'PAUSED' : deployment.status

/** Returns a short name of the release, such as `web:2.0.0`; undefined until it is known. */
export function releaseName({ data }: Deployment): string | undefined {
  if (data?.type === 'cloud:ecs') return imageOf(data.deployedTaskDefinition?.definition)
  if (data?.type === 'cloud:lambda') return data.version === undefined ? undefined : `version ${data.version}`
  if (data?.type === 'cloud:ec2') return data.deployedRelease?.imageUri?.split('/').at(-1)
  if (data?.type === 'cloud:static') return data.prefix
  return undefined
}

/** Returns the last part of the first container's image, such as `web:2.0.0`. */
export function imageOf(definition: Record<string, unknown> | undefined): string | undefined {
  const [first] = (definition?.containerDefinitions ?? []) as { image?: string }[]
  return first?.image?.split('/').at(-1)
}

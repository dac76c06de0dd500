import type { Deployment } from '@sluice/contract'
import { pendingPause } from '@sluice/contract/states'
import type { ShownStatus } from '../ui/status-badge.tsx'

/**
 * What is deployed to, by the name that the cloud knows it by; a site by its bucket, as a distribution has only an id.
 */
export const targetName = ({ data, resourceName, deploymentType }: Deployment): string =>
  data?.type === 'cloud:static' ? data.bucket : (resourceName ?? deploymentType)

/** Who asked for it. */
export const triggeredBy = ({ data, triggerSource }: Deployment): string => data?.triggeredBy ?? triggerSource

/** The status as people say it: one that waits for them is paused. */
export const shownStatus = (deployment: Deployment): ShownStatus =>
  pendingPause(deployment) ? 'PAUSED' : deployment.status

/** What is released in a few words, such as `web:2.0.0`; undefined before it is known. */
export function releaseName({ data }: Deployment): string | undefined {
  if (data?.type === 'cloud:ecs') return imageOf(data.deployedTaskDefinition?.definition)
  if (data?.type === 'cloud:lambda') return data.version === undefined ? undefined : `version ${data.version}`
  if (data?.type === 'cloud:ec2') return data.deployedRelease?.imageUri?.split('/').at(-1)
  if (data?.type === 'cloud:static') return data.prefix
  return undefined
}

/** The last part of the image of the first container, such as `web:2.0.0`. */
export function imageOf(definition: Record<string, unknown> | undefined): string | undefined {
  const [first] = (definition?.containerDefinitions ?? []) as { image?: string }[]
  return first?.image?.split('/').at(-1)
}

import type { CloudEvent } from '@sluice/contract'

/** What an event is about, and how soon a deployment of it should look. */
export type Relevance = { resourceArn: string; urgency: 'now' | 'soon' }

/**
 * The resource that an event concerns, as deployments name it (`resourceArn`); undefined for events that tell a
 * deployment nothing. An event is only a hint: whoever it wakes reads the cloud itself.
 */
export function relevanceOf({ source, resources, detail, ...event }: CloudEvent): Relevance | undefined {
  if (source !== 'aws.ecs') return undefined
  switch (event['detail-type']) {
    case 'ECS Deployment State Change':
      return resources[0] === undefined ? undefined : { resourceArn: resources[0], urgency: 'now' }
    case 'ECS Hook State Change':
      // `resources` names the service deployment here.
      return typeof detail.serviceArn === 'string' ? { resourceArn: detail.serviceArn, urgency: 'now' } : undefined
    case 'ECS Service Action':
      return resources[0] === undefined ? undefined : { resourceArn: resources[0], urgency: 'soon' }
    case 'ECS Task State Change': {
      const resourceArn = serviceOfTask(detail)
      return resourceArn === undefined ? undefined : { resourceArn, urgency: 'soon' }
    }
    default:
      return undefined
  }
}

/** `service:NAME` in the cluster `arn:…:cluster/CLUSTER` is `arn:…:service/CLUSTER/NAME`. */
function serviceOfTask({ group, clusterArn }: Record<string, unknown>): string | undefined {
  if (typeof group !== 'string' || !group.startsWith('service:') || typeof clusterArn !== 'string') return undefined
  return `${clusterArn.replace(':cluster/', ':service/')}/${group.slice('service:'.length)}`
}

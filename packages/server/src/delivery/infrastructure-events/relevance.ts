import type { CloudEvent } from '@sluice/contract'
import { present } from '../../platform/present.ts'

/** What an event is about, and how soon a deployment of it should look. */
export type Relevance = Subject & {
  urgency: Urgency
  /** The release that it says has begun, by the cloud's own id: somebody else than us may have begun it. */
  begunDeploymentId?: string
}

type Urgency = 'now' | 'soon'

/** A resource by its ARN; or a group of machines by its name, where the event has no ARN of it. */
type Subject = { resourceArn: string } | { groupName: string; region: string }

/**
 * The resource that an event concerns, as deployments name it (`resourceArn`); undefined for events that tell a
 * deployment nothing. An event is only a hint: whoever it wakes reads the cloud itself.
 */
export function relevanceOf(event: CloudEvent): Relevance | undefined {
  switch (event.source) {
    case 'aws.ecs':
      return relevanceOfService(event)
    case 'aws.autoscaling':
      return relevanceOfScaling(event)
    case 'aws.ssm':
      return relevanceOfCommand(event)
    default:
      return undefined
  }
}

function relevanceOfService({ resources, detail, ...event }: CloudEvent): Relevance | undefined {
  switch (event['detail-type']) {
    case 'ECS Deployment State Change':
      return resources[0] === undefined
        ? undefined
        : { resourceArn: resources[0], urgency: 'now', ...present({ begunDeploymentId: begunIn(detail) }) }
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

/** The cloud tells the beginning of a rollback with the same event; its reason gives it away. */
function begunIn({ eventName, deploymentId, reason }: Record<string, unknown>): string | undefined {
  if (eventName !== 'SERVICE_DEPLOYMENT_IN_PROGRESS' || typeof deploymentId !== 'string') return undefined
  const isRollback = typeof reason === 'string' && reason.includes('rolling back')
  return !isRollback && /^ecs-svc\/\d{1,40}$/.test(deploymentId) ? deploymentId : undefined
}

/** `service:NAME` in the cluster `arn:…:cluster/CLUSTER` is `arn:…:service/CLUSTER/NAME`. */
function serviceOfTask({ group, clusterArn }: Record<string, unknown>): string | undefined {
  if (typeof group !== 'string' || !group.startsWith('service:') || typeof clusterArn !== 'string') return undefined
  return `${clusterArn.replace(':cluster/', ':service/')}/${group.slice('service:'.length)}`
}

/** Instances that come and go; the group is named before the instance. */
function relevanceOfScaling({ resources, ...event }: CloudEvent): Relevance | undefined {
  const [resourceArn] = resources
  const isOfInstance = /^EC2 Instance (Launch|Terminate) (Successful|Unsuccessful)$/.test(event['detail-type'])
  return isOfInstance && resourceArn !== undefined ? { resourceArn, urgency: 'soon' } : undefined
}

/**
 * Commands name their document, which is `GROUP-deploy`; the one as a whole is told of less often than its instances.
 */
function relevanceOfCommand({ region, detail, ...event }: CloudEvent): Relevance | undefined {
  const groupName = /^(.+)-deploy$/.exec(String(detail['document-name'] ?? ''))?.[1]
  if (groupName === undefined) return undefined
  switch (event['detail-type']) {
    case 'EC2 Command Status-change Notification':
      return { groupName, region, urgency: 'now' }
    case 'EC2 Command Invocation Status-change Notification':
      return { groupName, region, urgency: 'soon' }
    default:
      return undefined
  }
}

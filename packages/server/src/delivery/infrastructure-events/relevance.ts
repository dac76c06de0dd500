import type { CloudEvent } from '@sluice/contract'
import { present } from '../../platform/present.ts'

/** Resource that an event concerns, and how soon its deployment should poll. */
export type Relevance = Subject & {
  urgency: Urgency
  /** Cloud id of the release that the event reports as started, possibly by another actor. */
  begunDeploymentId?: string
}

type Urgency = 'now' | 'soon'

/** Resource by its ARN, or group of instances by its name if the event does not have the ARN. */
type Subject = { resourceArn: string } | { groupName: string; region: string }

/**
 * Returns the resource that an event concerns, as in `resourceArn` of deployments; undefined for irrelevant events. An
 * event is only a hint: it causes a poll of the cloud.
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
      // `resources` has the service deployment here.
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

/** Returns the id of a started release. The start of a rollback causes the same event, with a different reason. */
function begunIn({ eventName, deploymentId, reason }: Record<string, unknown>): string | undefined {
  if (eventName !== 'SERVICE_DEPLOYMENT_IN_PROGRESS' || typeof deploymentId !== 'string') return undefined
  const isRollback = typeof reason === 'string' && reason.includes('rolling back')
  return !isRollback && /^ecs-svc\/\d{1,40}$/.test(deploymentId) ? deploymentId : undefined
}

/** Converts `service:NAME` in the cluster `arn:…:cluster/CLUSTER` to `arn:…:service/CLUSTER/NAME`. */
function serviceOfTask({ group, clusterArn }: Record<string, unknown>): string | undefined {
  if (typeof group !== 'string' || !group.startsWith('service:') || typeof clusterArn !== 'string') return undefined
  return `${clusterArn.replace(':cluster/', ':service/')}/${group.slice('service:'.length)}`
}

/**
 * Returns the group of an event about launched or terminated instances. The group precedes the instance in `resources`.
 */
function relevanceOfScaling({ resources, ...event }: CloudEvent): Relevance | undefined {
  const [resourceArn] = resources
  const isOfInstance = /^EC2 Instance (Launch|Terminate) (Successful|Unsuccessful)$/.test(event['detail-type'])
  return isOfInstance && resourceArn !== undefined ? { resourceArn, urgency: 'soon' } : undefined
}

/**
 * Returns the group of a command event, by the name `GROUP-deploy` of the command's document. Events of a whole command
 * are less frequent than those of its instances.
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

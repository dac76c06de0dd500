import {
  type AuditNotice,
  auditType,
  type ChannelNotice,
  type DeploymentNotice,
  isOfChannel,
  type NotificationPayload,
  type NotificationType,
  type PipelineRunNotice,
} from '@sluice/contract'
import { present } from '../../../platform/present.ts'

/** The version of https://github.com/cdevents/spec that events are in; its types have versions of their own. */
const specVersion = '0.4.1'

type Subject = { id: string; type: string; content: Record<string, unknown> }
type Told = { eventId: string; payload: NotificationPayload }

/** What of the catalogue CDEvents has a type for, and the audit log. The rest is not told in this form. */
const asEvents = [
  'deployment.succeeded',
  'deployment.rolled_back',
  'pipeline_run.succeeded',
  'pipeline_run.failed',
  'pipeline_run.cancelled',
  auditType,
] as const satisfies NotificationType[]

export const isCdEvent = (type: NotificationPayload['type']): boolean =>
  isOfChannel(type) || asEvents.some((one) => one === type)

/**
 * A CloudEvent whose data is a CDEvent: https://github.com/cdevents/spec/blob/v0.4.1/cloudevents-binding.md. The id is
 * that of what happened, so that what is told again is known by it.
 */
export function cdEvent({ eventId: id, payload }: Told) {
  const { type, subject } = eventOf(payload)
  const source = `/organizations/${payload.data.organizationId}`
  return {
    ...{ specversion: '1.0', id, source, type, subject: subject.id, time: payload.timestamp },
    datacontenttype: 'application/json',
    data: {
      context: { version: specVersion, id, source, type, timestamp: payload.timestamp },
      subject: { ...subject, source },
    },
  }
}

function eventOf({ type, data }: NotificationPayload): { type: string; subject: Subject } {
  if ('moduleInstance' in data && 'deploymentId' in data)
    return { type: `dev.cdevents.service.${becameOf(type, data)}.0.2.0`, subject: service(data) }
  if ('pipeline' in data) return { type: 'dev.cdevents.pipelinerun.finished.0.2.0', subject: pipelineRun(type, data) }
  return 'auditEvent' in data ? auditLine(data) : channelEvent(type, data)
}

const becameOf = (type: string, { isFirst }: DeploymentNotice): 'deployed' | 'upgraded' | 'rolledback' => {
  if (type === 'deployment.rolled_back') return 'rolledback'
  return isFirst ? 'deployed' : 'upgraded'
}

const service = ({ moduleInstance, environment, artifact }: DeploymentNotice): Subject => ({
  id: moduleInstance.id,
  type: 'service',
  content: {
    environment: { id: environment.id },
    // It has to have one; without a known image it is all that is called by its name.
    artifactId: artifact ?? `pkg:generic/${encodeURIComponent(moduleInstance.name)}`,
  },
})

const pipelineRun = (type: string, { pipelineRunId: id, pipeline, url, error }: PipelineRunNotice): Subject => ({
  id,
  type: 'pipelineRun',
  content: present({
    pipelineName: pipeline.name,
    url,
    outcome: type === 'pipeline_run.succeeded' ? 'success' : 'failure',
    errors: type === 'pipeline_run.cancelled' ? 'It was cancelled.' : error,
  }),
})

/** What CDEvents has no type for, in the form that it keeps for others. */
const auditLine = ({ organizationId: _, auditEvent, ...rest }: AuditNotice): { type: string; subject: Subject } => ({
  type: 'dev.cdeventsx.sluice-auditevent.recorded.0.1.0',
  subject: { id: auditEvent.id, type: 'sluice-auditevent', content: { ...auditEvent, ...rest } },
})

function channelEvent(type: string, data: NotificationPayload['data']): { type: string; subject: Subject } {
  const predicate = type === 'channel.test' ? 'tested' : 'broken'
  const { channelId: id, message } = data as ChannelNotice
  return {
    type: `dev.cdeventsx.sluice-channel.${predicate}.0.1.0`,
    subject: { id, type: 'sluice-channel', content: { message } },
  }
}

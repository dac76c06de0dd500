import {
  type AuditNotice,
  auditType,
  belongsToChannel,
  type ChannelNotice,
  type DeploymentNotice,
  type NotificationPayload,
  type NotificationType,
  type PipelineRunNotice,
} from '@sluice/contract'
import { present } from '../../../platform/present.ts'

/** Version of https://github.com/cdevents/spec; the event types have their own versions. */
const specVersion = '0.4.1'

type Subject = { id: string; type: string; content: Record<string, unknown> }
type EventToSend = { eventId: string; payload: NotificationPayload }

/** Events with a CDEvents type, and the audit log. Others are not sent in this format. */
const asEvents = [
  'deployment.succeeded',
  'deployment.rolled_back',
  'pipeline_run.succeeded',
  'pipeline_run.failed',
  'pipeline_run.cancelled',
  auditType,
] as const satisfies NotificationType[]

export const isCdEvent = (type: NotificationPayload['type']): boolean =>
  belongsToChannel(type) || asEvents.some((one) => one === type)

/**
 * Returns a CloudEvent with a CDEvent: https://github.com/cdevents/spec/blob/v0.4.1/cloudevents-binding.md. Its id is
 * that of the Sluice event, so that receivers can detect duplicates.
 */
export function cdEvent({ eventId: id, payload }: EventToSend) {
  const { type, subject } = eventOf(payload)
  const source = `/organizations/${payload.data.organizationId}`
  return {
    specversion: '1.0',
    id,
    source,
    type,
    subject: subject.id,
    time: payload.timestamp,
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
    // Required by the specification. Without a known image, a generic purl of the instance.
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

/** Returns an audit event as a custom CDEvent. */
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

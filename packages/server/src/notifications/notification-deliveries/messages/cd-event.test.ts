import {
  type AuditEvent,
  type DeploymentNotice,
  type NotificationPayload,
  notificationTypes,
  type PipelineRunNotice,
} from '@sluice/contract'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { cdEvent, isCdEvent } from './cd-event.ts'

const closed = { additionalProperties: false } as const
const Text = Type.String({ minLength: 1 })

// From CDEvents v0.4.1: schemas/servicedeployed.json and its siblings, read 2026-11-26.
const cdEventOf = (type: string, subjectType: string, content: ReturnType<typeof Type.Object>) =>
  Type.Object(
    {
      context: Type.Object(
        {
          version: Type.Literal('0.4.1'),
          id: Text,
          source: Text,
          type: Type.Literal(type),
          timestamp: Type.String({ format: 'date-time' }),
        },
        closed,
      ),
      subject: Type.Object({ id: Text, source: Text, type: Type.Literal(subjectType), content }, closed),
    },
    closed,
  )
const Service = Type.Object({ environment: Type.Object({ id: Text }, closed), artifactId: Text }, closed)
const Finished = Type.Object(
  {
    pipelineName: Text,
    url: Text,
    outcome: Type.Enum(['success', 'failure', 'error']),
    errors: Type.Optional(Type.String()),
  },
  closed,
)
const Custom = Type.Object({ message: Text }, closed)

const timestamp = '2026-11-25T13:36:41.016Z'
const organizationId = 'org_1'
const project = { id: 'prj_1', name: 'Shop' }
const deployment: DeploymentNotice = {
  organizationId,
  deploymentId: 'dep_1',
  url: 'https://sluice.example.com/console/deployments/dep_1',
  project,
  status: 'SUCCESS',
  deploymentType: 'cloud:ecs',
  description: 'Release',
  triggerSource: 'API',
  environment: { id: 'env_1', name: 'production' },
  moduleInstance: { id: 'mi_1', name: 'web' },
}
const run: PipelineRunNotice = {
  organizationId,
  pipelineRunId: 'run_1',
  number: 7,
  url: 'https://sluice.example.com/console/runs/run_1',
  project,
  pipeline: { id: 'ppl_1', name: 'Release' },
  error: 'No.',
  status: 'ERROR',
  triggerSource: 'API',
}
const artifact = 'pkg:oci/app?repository_url=ghcr.io/shop/app&tag=2'
const channel = { organizationId, channelId: 'nch_1', message: 'A test.' }

test(
  'every event follows the CDEvents specification',
  everyCase(
    [
      [
        'deployment.succeeded',
        { ...deployment, artifact, isFirst: true },
        'service.deployed.0.2.0',
        'service',
        Service,
      ],
      [
        'deployment.succeeded',
        { ...deployment, artifact, isFirst: false },
        'service.upgraded.0.2.0',
        'service',
        Service,
      ],
      ['deployment.rolled_back', deployment, 'service.rolledback.0.2.0', 'service', Service],
      ['pipeline_run.failed', run, 'pipelinerun.finished.0.2.0', 'pipelineRun', Finished],
      ['pipeline_run.succeeded', run, 'pipelinerun.finished.0.2.0', 'pipelineRun', Finished],
      ['pipeline_run.cancelled', run, 'pipelinerun.finished.0.2.0', 'pipelineRun', Finished],
    ] as const,
    (type, data, name, subjectType, content) => {
      const payload: NotificationPayload = { type, timestamp, data }
      const event = cdEvent({ eventId: 'one', payload })
      expect(Check(cdEventOf(`dev.cdevents.${name}`, subjectType, content), event.data)).toBe(true)
      const { subject, source } = event
      expect(event).toMatchObject({ specversion: '1.0', id: 'one', type: `dev.cdevents.${name}`, time: timestamp })
      expect(event.data).toMatchObject({ context: { id: 'one', source }, subject: { id: subject, source } })
    },
  ),
)

test(
  'an event without a CDEvents type is a custom event',
  everyCase(
    [
      ['channel.test', 'tested'],
      ['channel.broken', 'broken'],
    ] as const,
    (type, predicate) => {
      const { data } = cdEvent({ eventId: 'one', payload: { type, timestamp, data: channel } })
      const name = `dev.cdeventsx.sluice-channel.${predicate}.0.1.0`
      expect(Check(cdEventOf(name, 'sluice-channel', Custom), data)).toBe(true)
    },
  ),
)

test('the event types without an equivalent in CDEvents are listed', () => {
  expect(notificationTypes.filter(isCdEvent)).toEqual([
    'deployment.succeeded',
    'deployment.rolled_back',
    'pipeline_run.succeeded',
    'pipeline_run.failed',
    'pipeline_run.cancelled',
    'audit.recorded',
  ])
})

test('an audit event is a custom event with all its data', () => {
  const auditEvent = { id: 'aud_1', action: 'projects.create' } as AuditEvent
  const data = { organizationId: 'org_1', url: 'https://sluice.example.com/console/settings/audit-log', auditEvent }
  const payload = { type: 'audit.recorded', timestamp: '2026-11-26T10:00:00.000Z', data } as const
  const type = 'dev.cdeventsx.sluice-auditevent.recorded.0.1.0'
  const told = cdEvent({ eventId: 'aud_1.audit.recorded', payload })
  expect(told).toMatchObject({ type, id: 'aud_1.audit.recorded', subject: 'aud_1', source: '/organizations/org_1' })
  const content = Type.Object({ id: Text, action: Text, url: Text }, closed)
  expect(Check(cdEventOf(type, 'sluice-auditevent', content), told.data)).toBe(true)
})

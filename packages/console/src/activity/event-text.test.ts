import type { NotificationEvent } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { activityFilterNamed, activityQuery, eventTypesOf } from './activity-filters.ts'
import { describeEvent, eventActor, eventReason, eventSubject, feedEventTypes } from './event-text.ts'

type Payload = NotificationEvent['payload']

const project = { id: 'prj_1', name: 'Shop' }
const environment = { id: 'env_1', name: 'production' }
const moduleInstance = { id: 'mi_1', name: 'web' }
const common = { organizationId: 'org_1', url: 'https://sluice.example.com/console', project }
const of = (type: Payload['type'], data: Payload['data']): Payload => ({
  type,
  timestamp: '2026-11-26T10:00:00.000Z',
  data,
})

const deployment = of('deployment.failed', {
  ...common,
  deploymentId: 'dep_1',
  status: 'ERROR',
  deploymentType: 'cloud:ecs',
  description: 'Release 2',
  environment,
  moduleInstance,
  triggerSource: 'API',
  triggeredBy: 'Ada',
  error: 'exit code 1',
})
const step = of('pipeline_run.approval_requested', {
  ...common,
  pipelineRunId: 'run_1',
  number: 42,
  status: 'PENDING_APPROVAL',
  triggerSource: 'API',
  pipeline: { id: 'pl_1', name: 'Release web' },
  step: { id: 'step_1', name: 'approve' },
  message: 'Go on?',
})
const hold = of('hold.placed', { ...common, holdId: 'hld_1', environment, triggeredBy: 'Ada', message: 'Sale' })
const drift = of('files.drifted', { ...common, watchedRepositoryId: 'wrp_1', commit: '4f2a', changeCount: 3 })

test(
  'an activity entry names the event, the record, the actor and the reason',
  everyCase(
    [
      [deployment, 'web · production', 'failed', 'dep_1', 'Ada', 'exit code 1'],
      [step, 'Release web #42 · approve', 'waits for approval', 'run_1', undefined, 'Go on?'],
      [hold, 'All of production', 'is held', undefined, 'Ada', 'Sale'],
      [drift, 'Shop', 'has drifted from its files', 'prj_1', undefined, undefined],
    ],
    (payload, name, deed, id, who, why) => {
      const subject = eventSubject(payload)
      expect([
        subject.name,
        describeEvent(payload.type),
        subject.id,
        eventActor(payload),
        eventReason(payload),
      ]).toEqual([...[name, deed, id, who, why]])
    },
  ),
)

test('every event type of a project belongs to one filter, and an address without one shows all', () => {
  const inKinds = (['Releases', 'Runs', 'Holds', 'Infrastructure'] as const).flatMap((kind) =>
    eventTypesOf(kind, feedEventTypes),
  )
  const elsewhere = feedEventTypes.filter((type) => /^(cloud_account|certificate)\./.test(type))
  expect([...inKinds, ...elsewhere].toSorted()).toEqual(feedEventTypes.toSorted())
  expect(activityFilterNamed('nothing')).toBe('All')
  expect(eventTypesOf(activityFilterNamed(undefined), feedEventTypes)).toEqual(feedEventTypes)
})

test('the filters in the address become those of the API', () => {
  expect(activityQuery({}, feedEventTypes)).toEqual({})
  const search = { show: 'Holds', project: 'prj_1', environment: 'env_1', service: 'web', by: 'ada' }
  const types = ['hold.placed', 'hold.lifted']
  expect(activityQuery(search, feedEventTypes)).toEqual({
    projectId: 'prj_1',
    environmentId: 'env_1',
    service: 'web',
    triggeredBy: 'ada',
    types,
  })
})

import { type AuditEvent, type AuditNotice, notificationTypes, payloadSchemaOf } from '@sluice/contract'
import fc from 'fast-check'
import { Errors } from 'typebox/value'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import {
  eventOfAuditLine,
  eventsOfCertificate,
  eventsOfConnection,
  eventsOfFilesDrift,
  type NotifiableCertificate,
  type NotifiableConnection,
  type NotifiableFilesDrift,
} from './audit-lines.ts'
import { eventsOfDeployment, type NotifiableDeployment, remindersOfDeployment } from './deployments.ts'
import {
  eventsOfDrift,
  eventsOfHold,
  eventsOfPreview,
  type NotifiableDrift,
  type NotifiableHold,
  type NotifiablePreview,
} from './environments.ts'
import { eventsOfRun, type NotifiableRun, remindersOfRun } from './runs.ts'

const linkTo = (page: string) => `https://sluice.example.com/console/${page}`
const at = (minute: number) => new Date(Date.UTC(2026, 10, 25, 12, minute))
const step = { currentStep: 1, totalSteps: 9, startedAt: at(1).toISOString() }

const service = { type: 'cloud:ecs', clusterArn: 'arn:cluster', serviceArn: 'arn:service' } as const

const progress: NotifiableDeployment['progress'] = { step: 'observe', attempt: 0, troubles: 0, quiet: 0, hooks: [] }

const releaseOf = (image: string) =>
  ({
    type: 'cloud:ecs',
    taskDefinition: { register: { containerDefinitions: [{ image }] } },
  }) as unknown as NotifiableDeployment['release']

const deployment = (more: Partial<NotifiableDeployment> = {}): NotifiableDeployment => ({
  id: 'dep_1',
  organizationId: 'org_1',
  status: 'IN_PROGRESS',
  deploymentType: 'cloud:ecs',
  description: 'Release',
  triggerSource: 'API',
  pipelineRunId: null,
  startedAt: at(0),
  completedAt: null,
  error: null,
  data: service,
  progress,
  waitingFor: null,
  release: releaseOf('ghcr.io/shop/app:2'),
  before: null,
  project: { id: 'prj_1', name: 'Shop' },
  environment: { id: 'env_1', name: 'production' },
  moduleInstance: { id: 'mi_1', name: 'web' },
  ...more,
})

const digestOf = () => 'what is released'
const idsOf = (row: NotifiableDeployment) => eventsOfDeployment(row, linkTo, digestOf).map(({ id }) => id)

test('a queued deployment has no events', () => {
  expect(idsOf(deployment({ status: 'PENDING', startedAt: null }))).toEqual([])
})

test('a requested approval creates one event, with the first request’s message', () => {
  const wanted = { ...step, stepCode: 'QUEUED', message: 'It waits for approval: 0 of 2' } as const
  const later = { ...step, stepCode: 'QUEUED', startedAt: at(3).toISOString(), message: '1 of 2' } as const
  const approval = { askedAt: step.startedAt, demands: [] }
  const behind = { ...step, startedAt: at(0).toISOString(), stepCode: 'QUEUED', message: 'It waits its turn' } as const
  const row = deployment({ startedAt: at(4), data: { ...service, approval, events: [behind, wanted, later] } })
  expect(idsOf(row)).toEqual(['dep_1.deployment.approval_requested', 'dep_1.deployment.started'])
  expect(eventsOfDeployment(row, linkTo, digestOf)[0]?.payload).toMatchObject({
    timestamp: step.startedAt,
    data: { message: wanted.message, status: 'PENDING' },
  })
})

const frozen = (minute: number) => {
  const message = 'Waits for the end of the freeze “Holidays”'
  const events = [{ ...step, stepCode: 'QUEUED' as const, startedAt: at(minute).toISOString(), message }]
  const data = { ...service, events }
  return deployment({ status: 'PENDING', startedAt: null, waitingFor: 'the end of a freeze', data })
}

test('a freeze creates an event while it blocks a deployment, and another freeze creates another', () => {
  expect(eventsOfDeployment(frozen(3), linkTo, digestOf)).toMatchObject([
    {
      id: `dep_1.deployment.frozen.${at(3).getTime()}`,
      payload: { timestamp: at(3).toISOString(), data: { status: 'PENDING', message: expect.stringContaining('“Ho') } },
    },
  ])
  expect(idsOf(frozen(5))).not.toEqual(idsOf(frozen(3)))
  for (const more of [{ waitingFor: 'the end of a hold' }, { status: 'IN_PROGRESS' as const }])
    expect(idsOf({ ...frozen(3), ...more })).toEqual([])
})

test('the end of a deployment contains what runs afterwards and whether it is the first release', () => {
  const before = { id: 'dep_0', release: releaseOf('ghcr.io/shop/app@sha256:0a1b'), data: service }
  const endOf = (more: Partial<NotifiableDeployment>) =>
    eventsOfDeployment(deployment({ completedAt: at(9), ...more }), linkTo, digestOf).at(-1)?.payload.data
  const artifact = 'pkg:oci/app?repository_url=ghcr.io/shop/app&tag=2'
  expect(endOf({ status: 'SUCCESS' })).toMatchObject({ artifact, isFirst: true })
  expect(endOf({ status: 'SUCCESS', before })).toMatchObject({ artifact, isFirst: false })
  expect(endOf({ status: 'ROLLED_BACK', before })).toMatchObject({
    artifact: 'pkg:oci/app@sha256%3A0a1b?repository_url=ghcr.io/shop/app',
  })
  expect(endOf({ status: 'ERROR', before })).not.toHaveProperty('artifact')
  const site = { type: 'cloud:static' } as unknown as NotifiableDeployment['release']
  expect(endOf({ status: 'SUCCESS', release: site })).toMatchObject({ artifact: 'pkg:generic/web@dep_1' })
})

test('events of a deployment keep their ids as more are added', () => {
  const paused = { ...step, stepCode: 'PAUSED', message: 'Shift the traffic?' } as const
  const once = deployment({ data: { ...service, events: [{ ...step, stepCode: 'INIT' }, paused] } })
  const twice = {
    ...once,
    data: { ...once.data, events: [...(once.data.events ?? []), paused] },
  } as NotifiableDeployment
  const over: NotifiableDeployment = { ...twice, status: 'ROLLED_BACK', completedAt: at(9) }
  expect(idsOf(once)).toEqual(['dep_1.deployment.started', 'dep_1.deployment.paused.1'])
  expect(idsOf(twice)).toEqual([...idsOf(once), 'dep_1.deployment.paused.2'])
  expect(idsOf(over)).toEqual([...idsOf(twice), 'dep_1.deployment.rolled_back'])
  expect(eventsOfDeployment(once, linkTo, digestOf)[1]?.payload).toMatchObject({
    timestamp: paused.startedAt,
    data: { message: 'Shift the traffic?', status: 'IN_PROGRESS', url: linkTo('deployments/dep_1') },
  })
})

const pauseEnds = new Date(at(1).getTime() + 24 * 3_600_000)

const paused24h = (state: 'waiting' | 'continuing' = 'waiting') =>
  deployment({
    data: { ...service, events: [{ ...step, stepCode: 'PAUSED', hookId: 'hook_1', message: 'Shift the traffic?' }] },
    progress: {
      ...progress,
      hooks: [{ hookId: 'hook_1', timeoutAction: 'ROLLBACK', expiresAt: pauseEnds.toISOString(), state }],
    },
  })

const demand = (minute: number, isMet = false) => ({
  ruleId: 'rule_1',
  name: 'Production',
  mode: 'ENFORCE' as const,
  requiredApprovals: 1,
  given: 0,
  isMet,
  teams: [],
  excludeStarter: false,
  serviceAccounts: false,
  expiresAt: at(minute).toISOString(),
})

const unapproved = (status: 'PENDING' | 'IN_PROGRESS' = 'PENDING') => {
  const demands = [demand(3, true), demand(50), demand(40)]
  return deployment({ status, data: { ...service, approval: { askedAt: at(0).toISOString(), demands } } })
}

test('a reminder is due an hour before a pause times out', () => {
  expect(remindersOfDeployment(paused24h(), linkTo, digestOf)).toMatchObject([
    {
      expiresAt: pauseEnds,
      event: {
        id: 'dep_1.deployment.pause_expires_soon.1',
        payload: {
          timestamp: new Date(pauseEnds.getTime() - 3_600_000).toISOString(),
          data: { message: 'Shift the traffic?', expiresAt: pauseEnds.toISOString(), status: 'IN_PROGRESS' },
        },
      },
    },
  ])
  expect(remindersOfDeployment(paused24h('continuing'), linkTo, digestOf)).toEqual([])
  expect(remindersOfDeployment({ ...paused24h(), status: 'ROLLING_BACK' }, linkTo, digestOf)).toEqual([])
})

test('a reminder is due before the first approval rule times out', () => {
  expect(remindersOfDeployment(unapproved(), linkTo, digestOf)).toMatchObject([
    { expiresAt: at(40), event: { payload: { timestamp: at(36).toISOString(), data: { status: 'PENDING' } } } },
  ])
  expect(remindersOfDeployment(unapproved('IN_PROGRESS'), linkTo, digestOf)).toEqual([])
})

test('no payload exceeds 64 KiB, whatever users write', () => {
  const text = fc.string({ unit: 'binary', minLength: 2_000, maxLength: 2_500, size: 'max' })
  fc.assert(
    fc.property(text, text, (description, message) => {
      const data = { ...service, triggeredBy: message }
      const error = { code: 'X', category: 'user', message } as unknown as NotifiableDeployment['error']
      const row = deployment({ description, data, error, status: 'ERROR', completedAt: at(5) })
      for (const { payload } of eventsOfDeployment(row, linkTo, digestOf)) {
        expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThan(64 * 1024)
      }
    }),
    { numRuns: 5 },
  )
})

const run = (more: Partial<NotifiableRun> = {}): NotifiableRun => ({
  id: 'run_1',
  organizationId: 'org_1',
  number: 7,
  status: 'IN_PROGRESS',
  triggerSource: 'PUSH',
  triggeredBy: 'Ada Lovelace',
  moduleInstanceId: null,
  completedAt: null,
  error: null,
  project: { id: 'prj_1', name: 'Shop' },
  pipeline: { id: 'pl_1', name: 'Release' },
  environmentId: null,
  steps: [],
  ...more,
})

/** Queue fields of a step that waits for approval. */
const notQueued = { queueReason: 'READY' as const, queueMetadata: {} }

test('a run creates events for its approvals, oldest first, and for its end', () => {
  const asking = (id: string, minute: number) => ({
    id,
    stepName: id,
    status: 'PENDING_APPROVAL' as const,
    updatedAt: at(minute),
    ...notQueued,
    approval: { requestedAt: at(minute).toISOString(), expiresAt: at(59).toISOString(), onTimeout: 'reject' as const },
    statusDetail: { approval: { message: `May ${id} go on?` } },
  })
  const steps = [asking('step_2', 5), asking('step_1', 3)]
  const told = (one: NotifiableRun) => eventsOfRun(one, linkTo).map(({ payload }) => [payload.type, payload.data])
  const questions = [
    ['pipeline_run.approval_requested', expect.objectContaining({ message: 'May step_1 go on?', number: 7 })],
    ['pipeline_run.approval_requested', expect.objectContaining({ message: 'May step_2 go on?' })],
  ]
  expect(told(run({ steps }))).toEqual(questions)
  expect(told(run({ steps, status: 'SUCCESS', completedAt: at(9) }))).toEqual([
    ...questions,
    ['pipeline_run.succeeded', expect.objectContaining({ status: 'SUCCESS', url: linkTo('runs/run_1') })],
  ])
  expect(told(run({ status: 'CANCELLED', completedAt: at(9) }))).toEqual([
    ['pipeline_run.cancelled', expect.objectContaining({ status: 'CANCELLED' })],
  ])
})

test('each approval of a run has reminders while it waits, and again when requested again', () => {
  const asking = (status: 'PENDING_APPROVAL' | 'QUEUED', minute: number) => {
    const approval = { requestedAt: at(minute).toISOString(), expiresAt: at(minute + 20).toISOString() }
    const asked = { id: 'step_1', stepName: 'Ask', status, statusDetail: null, updatedAt: at(minute), ...notQueued }
    return { ...asked, approval: { ...approval, ...rejecting } }
  }
  const rejecting = { onTimeout: 'reject' as const }
  const told = (one: NotifiableRun['steps'][number]) =>
    remindersOfRun(run({ steps: [one] }), linkTo).map(({ event }) => [event.id, event.payload.timestamp])
  const id = (minute: number) => `step_1.pipeline_run.approval_expires_soon.${at(minute).getTime()}`
  expect(told(asking('PENDING_APPROVAL', 5))).toEqual([[id(5), at(23).toISOString()]])
  expect(told(asking('PENDING_APPROVAL', 9))).toEqual([[id(9), at(27).toISOString()]])
  expect(told(asking('QUEUED', 5))).toEqual([])
})

const frozenStep = (until: Date): NotifiableRun['steps'][number] => ({
  id: 'step_1',
  stepName: 'Apply',
  status: 'QUEUED',
  approval: null,
  updatedAt: at(4),
  queueReason: 'FROZEN',
  queueMetadata: {},
  statusDetail: { freeze: { freezeId: 'frz_1', until: until.toISOString(), message: 'It waits for the end' } },
})

test('a freeze that blocks a step creates one event until it ends', () => {
  const told = (until: Date) => eventsOfRun(run({ steps: [frozenStep(until)] }), linkTo)
  expect(told(at(30))).toMatchObject([
    {
      id: `step_1.pipeline_run.frozen.${at(30).getTime()}`,
      recordId: 'run_1',
      payload: { timestamp: at(4).toISOString(), data: { step: { name: 'Apply' }, message: 'It waits for the end' } },
    },
  ])
  expect(told(at(40))[0]?.id).not.toBe(told(at(30))[0]?.id)
})

const unapprovedStep = (id: string, version: number): NotifiableRun['steps'][number] => ({
  id,
  stepName: 'Build',
  status: 'QUEUED',
  approval: null,
  statusDetail: null,
  updatedAt: at(1),
  queueReason: 'VERSION_NOT_APPROVED',
  queueMetadata: { pipelineVersionId: `plv_${version}`, version, asks: '0 of 1 by the policy “Seen by Security”' },
})

test('a version approval creates one event, however many runs and steps wait for it', () => {
  const told = (id: string, ...steps: NotifiableRun['steps']) =>
    eventsOfRun(run({ id, status: 'QUEUED', steps }), linkTo)
  const [first, ...more] = told('run_1', unapprovedStep('step_1', 3), unapprovedStep('step_2', 3))
  expect(more).toEqual([])
  expect(first).toMatchObject({
    id: 'plv_3.pipeline_run.version_approval_requested',
    payload: { data: { status: 'QUEUED', pipelineVersionId: 'plv_3', message: expect.stringContaining('0 of 1') } },
  })
  expect(told('run_2', unapprovedStep('step_9', 3))[0]?.id).toBe(first?.id)
  expect(told('run_2', unapprovedStep('step_9', 4))[0]?.id).not.toBe(first?.id)
  expect(told('run_1', { ...unapprovedStep('step_1', 3), status: 'IN_PROGRESS' })).toEqual([])
})

const hold = (more: Partial<NotifiableHold> = {}): NotifiableHold => ({
  id: 'hld_1',
  organizationId: 'org_1',
  createdAt: at(0),
  reason: 'Prices are wrong.',
  heldBy: 'Ada Lovelace',
  liftedAt: null,
  liftedBy: null,
  liftReason: null,
  project: { id: 'prj_1', name: 'Shop' },
  environment: { id: 'env_1', name: 'production' },
  moduleInstance: { id: 'mi_1', name: 'web' },
  ...more,
})
const released = { liftedAt: at(9), liftedBy: 'Grace Hopper', liftReason: 'Prices are right.' }

test('a hold creates events for its creation and its lifting, with actors and reasons', () => {
  const began = {
    id: 'hld_1.hold.placed',
    projectId: 'prj_1',
    environmentId: 'env_1',
    payload: { data: { triggeredBy: 'Ada Lovelace', message: 'Prices are wrong.', url: linkTo('instances/mi_1') } },
  }
  expect(eventsOfHold(hold(), linkTo)).toMatchObject([began])
  expect(eventsOfHold(hold(released), linkTo)).toMatchObject([
    began,
    { id: 'hld_1.hold.lifted', payload: { data: { triggeredBy: 'Grace Hopper', message: 'Prices are right.' } } },
  ])
})

const drift = (more: Partial<NotifiableDrift> = {}): NotifiableDrift => ({
  organizationId: 'org_1',
  driftedSince: at(2),
  runId: 'run_1',
  stack: { id: 'stk_1', name: 'Network' },
  project: { id: 'prj_1', name: 'Shop' },
  environment: null,
  ...more,
})

const filesDrift: NotifiableFilesDrift = {
  organizationId: 'org_1',
  createdAt: at(2),
  before: null,
  details: { commit: '4f2a', changes: 3 },
  watchedRepositoryId: 'wrp_1',
  project: { id: 'prj_1', name: 'Shop' },
}

test('a project that differs from its files creates an event with the commit and the number of differences', () => {
  expect(eventsOfFilesDrift(filesDrift, linkTo)).toMatchObject([
    { projectId: 'prj_1', payload: { data: { url: linkTo('projects/prj_1'), commit: '4f2a', changeCount: 3 } } },
  ])
})

test('a drifted stack creates one event for the same drift, whichever run detects it again', () => {
  const [first] = eventsOfDrift(drift(), linkTo)
  expect(first).toMatchObject({
    projectId: 'prj_1',
    environmentId: null,
    payload: { data: { url: linkTo('runs/run_1') } },
  })
  const idOf = (more: Partial<NotifiableDrift>) => eventsOfDrift(drift(more), linkTo)[0]?.id
  expect(idOf({ runId: 'run_2' })).toBe(first?.id)
  expect(idOf({ driftedSince: at(7) })).not.toBe(first?.id)
})

const connection = (
  details: NotifiableConnection['details'],
  status: NotifiableConnection['cloudAccount']['status'],
) => ({
  organizationId: 'org_1',
  createdAt: at(1),
  details,
  before: null,
  cloudAccount: { id: 'ca_1', name: 'Main', status },
})
const shut = connection({ status: 'DISCONNECTED', reason: 'Not authorized' }, 'CONNECTED')

test(
  'a change of a cloud account creates its notifications',
  everyCase(
    [
      ['a check that found it shut', shut, ['cloud_account.disconnected', 'DISCONNECTED']],
      ['one that failed', connection({ status: 'ERROR' }, 'ERROR'), ['cloud_account.disconnected', 'ERROR']],
      [
        'one that found it open',
        connection({ status: 'CONNECTED' }, 'ERROR'),
        ['cloud_account.connected', 'CONNECTED'],
      ],
      ['who connected it', connection({ roleArn: 'x' }, 'CONNECTED'), ['cloud_account.connected', 'CONNECTED']],
      ['who could not', connection({ roleArn: 'x' }, 'ERROR'), undefined],
    ],
    (_, line, expected) => {
      const [told] = eventsOfConnection(line, linkTo).map(({ payload: { type, data } }) => [
        type,
        Reflect.get(data, 'status'),
      ])
      expect(told).toEqual(expected)
    },
  ),
)

const certificate = (
  details: NotifiableCertificate['details'],
  before: NotifiableCertificate['before'],
): NotifiableCertificate => ({
  organizationId: 'org_1',
  createdAt: at(1),
  details,
  before,
  certificate: { id: 'crt_1', names: ['shop.example.com'], expiresAt: at(50), error: { code: 'X', message: 'Gone.' } },
  cloudAccount: { id: 'ca_1', name: 'Main' },
})
const good = { status: 'ISSUED', expiresSoon: false }
const ending = { status: 'ISSUED', expiresSoon: true }
const lost = { status: 'FAILED', expiresSoon: false }

test(
  'a change of a certificate creates its notifications',
  everyCase(
    [
      ['begins to end', good, ending, 'certificate.expires_soon'],
      ['was renewed', ending, good, undefined],
      ['ends still', ending, ending, undefined],
      ['is gone', ending, lost, 'certificate.unusable'],
      ['has ended', ending, { status: 'EXPIRED', expiresSoon: false }, 'certificate.unusable'],
      ['is issued', { status: 'PENDING_VALIDATION', expiresSoon: false }, good, undefined],
    ],
    (_, before, details, type) => {
      expect(eventsOfCertificate(certificate(details, before), linkTo)[0]?.payload.type).toBe(type)
    },
  ),
)

const preview: NotifiablePreview = {
  id: 'pve_1',
  organizationId: 'org_1',
  givenId: 'pr-12',
  number: 12,
  failedTeardowns: 1,
  teardownFailedAt: at(5),
  retryAt: at(6),
  message: 'It is used by another.',
  project: { id: 'prj_1', name: 'Shop' },
  environment: { id: 'env_1', name: 'pr-12' },
}

const line: AuditEvent = {
  id: 'aud_1',
  createdAt: at(0).toISOString(),
  organizationId: 'org_1',
  channel: 'CLI',
  actorType: 'MEMBERSHIP',
  actorId: 'mem_1',
  actorName: 'ada@example.com',
  action: 'projects.create',
  resourceType: 'project',
  resourceId: 'prj_1',
  details: { name: 'Shop' },
}
const longLine: AuditEvent = { ...line, id: 'aud_2', before: { script: 'ä'.repeat(20_000) } }

test('an audit event is passed on unchanged with the audit log as record, or marked as truncated', () => {
  const events = [line, longLine].map((one) => eventOfAuditLine(one, linkTo))
  expect(events.map(({ id, recordId, projectId }) => [id, recordId, projectId])).toEqual([
    ['aud_1.audit.recorded', 'org_1', null],
    ['aud_2.audit.recorded', 'org_1', null],
  ])
  const [whole, cut] = events.map(({ payload }) => payload.data as AuditNotice)
  expect(whole).toEqual({ organizationId: 'org_1', url: linkTo('settings/audit-log'), auditEvent: line })
  const { details, before, ...rest } = longLine
  expect(cut).toMatchObject({ isTruncated: true })
  expect(cut?.auditEvent).toEqual(rest)
  for (const { payload } of events) expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThan(64 * 1024)
})

test('all payloads match their documented schemas', () => {
  const endings = ['SUCCESS', 'ERROR', 'ROLLED_BACK', 'CANCELLED'] as const
  const paused = { ...step, stepCode: 'PAUSED' } as const
  const deployments = endings.map((status) =>
    deployment({ status, completedAt: at(9), data: { ...service, events: [paused], triggeredBy: 'Ada Lovelace' } }),
  )
  const approved = { askedAt: at(2).toISOString(), demands: [] }
  deployments.push(deployment({ data: { ...service, approval: approved } }), paused24h(), unapproved(), frozen(1))
  const approval = { requestedAt: at(3).toISOString(), expiresAt: at(59).toISOString(), onTimeout: 'reject' as const }
  const ask = { id: 'step_1', stepName: 'Ask', status: 'PENDING_APPROVAL' as const, statusDetail: null, ...notQueued }
  const steps = [{ ...ask, approval, updatedAt: at(3) }, frozenStep(at(50)), unapprovedStep('step_3', 3)]
  const runs = (['SUCCESS', 'ERROR', 'CANCELLED'] as const).map((status) => run({ status, steps, completedAt: at(9) }))
  const events = [
    ...deployments.flatMap((row) => eventsOfDeployment(row, linkTo, digestOf)),
    ...runs.flatMap((row) => eventsOfRun(row, linkTo)),
    ...[hold(released), hold({ moduleInstance: null })].flatMap((row) => eventsOfHold(row, linkTo)),
    ...eventsOfDrift(drift({ environment: { id: 'env_1', name: 'production' } }), linkTo),
    ...eventsOfFilesDrift(filesDrift, linkTo),
    ...eventsOfPreview(preview, linkTo),
    ...[shut, connection({ status: 'CONNECTED' }, 'CONNECTED')].flatMap((line) => eventsOfConnection(line, linkTo)),
    ...[certificate(ending, good), certificate(lost, good)].flatMap((line) => eventsOfCertificate(line, linkTo)),
    ...deployments.flatMap((row) => remindersOfDeployment(row, linkTo, digestOf)).map(({ event }) => event),
    ...runs.flatMap((row) => remindersOfRun(row, linkTo)).map(({ event }) => event),
    ...[line, longLine].map((one) => eventOfAuditLine(one, linkTo)),
  ]
  for (const type of notificationTypes) {
    const told = events.filter(({ payload }) => payload.type === type)
    expect(told, type).not.toEqual([])
    for (const { payload } of told) expect(Errors(payloadSchemaOf(type), payload), type).toEqual([])
  }
})

import type { NotificationPayload, PolicyVerdict } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { certificates } from '../../cloud/certificates/tables.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { promotions } from '../../delivery/promotions/tables.ts'
import { freezes } from '../../gates/freezes/tables.ts'
import { holds } from '../../gates/holds/tables.ts'
import { policies, policyVersions } from '../../gates/policies/tables.ts'
import { teamMembers } from '../../identity/teams/tables.ts'
import { previewEnvironments } from '../../infrastructure/preview-environments/tables.ts'
import { stackDrifts } from '../../infrastructure/stack-drift/tables.ts'
import { watchedRepositories } from '../../interface/watched-repositories/tables.ts'
import { notificationChannels } from '../../notifications/notification-channels/tables.ts'
import { notificationDeliveries } from '../../notifications/notification-deliveries/tables.ts'
import { notificationEvents } from '../../notifications/notification-events/tables.ts'
import { iacPlans } from '../../pipelines/iac-plans/tables.ts'
import { pipelineStepExecutions, pipelineVersions } from '../../pipelines/pipelines/tables.ts'
import type { Column } from './drizzle.ts'

const approval = { requiredApprovals: 1, teamIds: [] }
const verdict = { policyId: 'pol_1', effect: 'REQUIRE_APPROVAL' } as unknown as PolicyVerdict
const now = { ...verdict, approval: { ...approval, excludeStarter: true } }
const before = { ...verdict, approval: { ...approval, notStarter: true } }
const payload = { id: 'evt_1', data: {} } as unknown as NotificationPayload
const record = { names: ['a.example'], name: '_1', type: 'CNAME', value: '_2' }

/** A column, a value, and its former spelling, which the last release reads and writes. */
const renamed: [name: string, column: Column, current: unknown, former: unknown][] = [
  ['promotion blocker', promotions.blocker, 'PERMISSION_DENIED', 'NO_RIGHT'],
  ['promotion blocker that kept its name', promotions.blocker, 'SOAKING', 'SOAKING'],
  ['freeze', freezes.onRelease, 'REJECT', 'REFUSE'],
  ['hold', holds.origin, 'USER', 'PERSON'],
  ['team member', teamMembers.source, 'MANUAL', 'HAND'],
  ['preview environment', previewEnvironments.status, 'DESTROYED', 'GONE'],
  ['drift', stackDrifts.status, 'IN_PROGRESS', 'UNDER_WAY'],
  ['watched repository', watchedRepositories.status, 'APPLIED', 'IN_FORCE'],
  ['event', notificationEvents.type, 'hold.placed', 'hold.began'],
  [
    'channel',
    notificationChannels.events,
    ['hold.lifted', 'deployment.failed'],
    ['hold.released', 'deployment.failed'],
  ],
  [
    'payload of an event',
    notificationEvents.payload,
    { ...payload, type: 'deployment.approval_requested' },
    { ...payload, type: 'deployment.approval_wanted' },
  ],
  [
    'payload of a delivery',
    notificationDeliveries.payload,
    { ...payload, type: 'deployment.started' },
    { ...payload, type: 'deployment.started' },
  ],
  [
    'certificate',
    certificates.records,
    [{ ...record, status: 'MANUAL', isValidated: true }],
    [{ ...record, standing: 'BY_HAND', isProven: true }],
  ],
  ['policy', policies.approval, now.approval, before.approval],
  ['version of a policy', policyVersions.rules, now, before],
  ['plan', iacPlans.policies, [now, verdict], [before, verdict]],
  ['pipeline version', pipelineVersions.policies, [now], [before]],
  [
    'approval of a pipeline version',
    pipelineVersions.approvals,
    [{ actorId: 'mem_1', onBehalfOf: [] }],
    [{ actorId: 'mem_1', inPlaceOf: [] }],
  ],
  [
    'decision about a step',
    pipelineStepExecutions.decision,
    { approved: true, onBehalfOf: [] },
    { approved: true, inPlaceOf: [] },
  ],
  ['deployment without gates', deployments.data, { events: [] }, { events: [] }],
  [
    'deployment',
    deployments.data,
    { events: [], policies: [now], approval: { demands: [{ excludeStarter: true, excludeAuthor: false }] } },
    { events: [], policies: [before], approval: { demands: [{ notStarter: true, notAuthor: false }] } },
  ],
]

test(
  'values are stored in their former spelling and read in both',
  everyCase(renamed, (_, column, current, former) => {
    const stored = column.mapToDriverValue(current)
    const isJson = column.getSQLType() === 'jsonb'
    expect(isJson ? JSON.parse(stored as string) : stored).toEqual(former)
    expect(column.mapFromDriverValue(former)).toEqual(current)
    expect(column.mapFromDriverValue(current)).toEqual(current)
  }),
)

import { type ApprovalRule, type CreateApprovalRule, routes } from '@sluice/contract'
import type { Logger } from 'pino'
import { authorOf } from '../../identity/audit-events/author.ts'
import { previousValues, recordChange } from '../../identity/audit-events/record.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { lockScope } from '../lock-scope.ts'
import { type Reconcile, type ReconcileDeployments, reconciling } from '../reconcile.ts'
import { approvalRuleStore } from './store.ts'
import type { ApprovalRuleRow } from './tables.ts'
import { expectTeams } from './teams.ts'

const resourceType = 'approval-rule'

type Parts = {
  engine: Engine
  openPage: OpenPage
  reconcileDeployments: ReconcileDeployments
  /** Evaluates waiting steps again. Returns the messages to send after the commit. */
  rejudgeSteps: Reconcile
  clock: () => Date
  log: Logger
}

export function serveApprovalRules(app: App, parts: Parts): void {
  const { openPage, reconcileDeployments, rejudgeSteps } = parts
  const wake = reconciling(app, parts, reconcileDeployments, rejudgeSteps)

  handle(app, routes.createApprovalRule, ({ body: { data }, caller, db, request, afterwards }) => {
    const { projectId, environmentId, moduleInstanceId, ...given } = data
    const rules = { ...usual, ...given }
    return db.transaction(async (tx) => {
      const { organizationId } = caller
      if ((await approvalRuleStore.count(tx, organizationId)) >= maxRules) throw tooMany()
      const place = await lockScope(tx, organizationId, present({ projectId, environmentId, moduleInstanceId }))
      await expectTeams(tx, organizationId, { field: 'teamIds', ids: rules.teamIds })
      const { actorName } = authorOf({ caller, request })
      const row = await approvalRuleStore.insert(tx, { organizationId, ...place, ...rules, createdBy: actorName })
      const details = { ...rules, ...place }
      const change = { action: 'approval-rules.create', resourceType, resourceId: row.id, of: row, details }
      await recordChange(tx, { caller, request }, change)
      afterwards(await wake(tx, organizationId))
      return { data: serialize(row) }
    })
  })

  handle(app, routes.listApprovalRules, async ({ query, caller, db }) => {
    const page = openPage(routes.listApprovalRules, caller, query)
    return page.reply(await approvalRuleStore.list(db, caller.organizationId, query, page), serialize)
  })

  handle(app, routes.getApprovalRule, async ({ params, caller, db }) => {
    const row = await approvalRuleStore.find(db, caller.organizationId, params.id)
    if (!row) throw notFound(params.id)
    return { data: serialize(row) }
  })

  handle(app, routes.updateApprovalRule, ({ params, body: { data }, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const before = await approvalRuleStore.lock(tx, caller.organizationId, params.id)
      if (!before) throw notFound(params.id)
      // Only added teams must exist, because teams that the rule names already may be deleted.
      const added = (data.teamIds ?? []).filter((id) => !before.teamIds.includes(id))
      await expectTeams(tx, caller.organizationId, { field: 'teamIds', ids: added })
      const row = await approvalRuleStore.update(tx, before.id, data)
      const change = { action: 'approval-rules.update', resourceType, resourceId: row.id, of: row, details: data }
      await recordChange(tx, { caller, request }, { ...change, before: previousValues(before, data) })
      afterwards(await wake(tx, caller.organizationId))
      return { data: serialize(row) }
    }),
  )

  handle(app, routes.deleteApprovalRule, ({ params, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const row = await approvalRuleStore.remove(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      const { name, requiredApprovals, teamIds, mode } = row
      const before = { name, requiredApprovals, teamIds, mode }
      const change = { action: 'approval-rules.delete', resourceType, resourceId: row.id, of: row, before }
      await recordChange(tx, { caller, request }, change)
      afterwards(await wake(tx, caller.organizationId))
    }),
  )
}

const usual = {
  requiredApprovals: 1,
  teamIds: [],
  excludeStarter: false,
  excludeAuthor: false,
  serviceAccounts: false,
  rollbacks: false,
  guards: ['DEPLOYMENTS'],
  mode: 'ENFORCE',
} satisfies Partial<CreateApprovalRule>

/** Maximum number of rules of an organization, because all are evaluated for each release. */
const maxRules = 200

const tooMany = () =>
  new ApiError(
    'tooManyApprovalRules',
    `An organization can have at most ${maxRules} approval rules. Delete some first.`,
  )

const notFound = (id: string) => missing('approvalRuleNotFound', 'approval rule', id)

const serialize = (row: ApprovalRuleRow): ApprovalRule =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId ?? undefined,
    environmentId: row.environmentId ?? undefined,
    moduleInstanceId: row.moduleInstanceId ?? undefined,
    name: row.name,
    reason: row.reason ?? undefined,
    requiredApprovals: row.requiredApprovals,
    teamIds: row.teamIds,
    excludeStarter: row.excludeStarter,
    excludeAuthor: row.excludeAuthor,
    serviceAccounts: row.serviceAccounts,
    expiresAfterMinutes: row.expiresAfterMinutes ?? undefined,
    rollbacks: row.rollbacks,
    guards: row.guards,
    mode: row.mode,
    createdBy: row.createdBy,
  })

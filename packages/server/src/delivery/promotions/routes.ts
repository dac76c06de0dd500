import { type PromotionRule, routes } from '@sluice/contract'
import { authorOf } from '../../identity/audit-events/author.ts'
import { previousValues, recordChange } from '../../identity/audit-events/record.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { requirePermission } from '../../platform/http/rights.ts'
import { present } from '../../platform/present.ts'
import { lockEnvironmentShared } from '../../projects/environments/store.ts'
import { insertPromotionRule, isInOrder, promotionRuleStore } from './store.ts'
import type { PromotionRuleRow } from './tables.ts'

const resourceType = 'promotion-rule'

export function servePromotionRules(app: App, { openPage, clock }: { openPage: OpenPage; clock: () => Date }): void {
  handle(app, routes.createPromotionRule, async ({ body, caller, db, request }) => {
    const { fromEnvironmentId, environmentId, ...given } = body.data
    const { organizationId } = caller
    const rules = { ...usual, ...given }
    await expectMayDeploy(app, caller, db, [fromEnvironmentId, environmentId])
    return db.transaction(async (tx) => {
      if ((await promotionRuleStore.count(tx, organizationId)) >= maxRules) throw tooMany()
      const step = { fromEnvironmentId, environmentId }
      const projectId = await lockStep(tx, organizationId, step)
      const { actorName: writtenBy, actorId: writtenById } = authorOf({ caller, request })
      const now = clock()
      const writer = { writtenBy, writtenById, createdAt: now, lookAt: now }
      const row = await insertPromotionRule(tx, { organizationId, projectId, ...step, ...rules, ...writer })
      if (!row) throw new ApiError('promotionRuleExists', 'A rule for this step already exists. Change that one.')
      const change = { action: 'promotion-rules.create', resourceType, resourceId: row.id, of: row }
      await recordChange(tx, { caller, request }, { ...change, details: { ...step, ...rules } })
      return { data: serialize(row) }
    })
  })

  handle(app, routes.listPromotionRules, async ({ query, caller, db }) => {
    const page = openPage(routes.listPromotionRules, caller, query)
    return page.reply(await promotionRuleStore.list(db, caller.organizationId, query, page), serialize)
  })

  handle(app, routes.getPromotionRule, async ({ params, caller, db }) => {
    const row = await promotionRuleStore.find(db, caller.organizationId, params.id)
    if (!row) throw notFound(params.id)
    return { data: serialize(row) }
  })

  handle(app, routes.updatePromotionRule, async ({ params, body: { data }, caller, db, request }) => {
    const { organizationId } = caller
    const known = await promotionRuleStore.find(db, organizationId, params.id)
    if (!known) throw notFound(params.id)
    await expectMayDeploy(app, caller, db, [known.fromEnvironmentId, known.environmentId])
    return db.transaction(async (tx) => {
      const before = await promotionRuleStore.lock(tx, organizationId, params.id)
      if (!before) throw notFound(params.id)
      const { actorName: writtenBy, actorId: writtenById } = authorOf({ caller, request })
      const row = await promotionRuleStore.update(tx, before.id, { ...data, writtenBy, writtenById, lookAt: clock() })
      const change = { action: 'promotion-rules.update', resourceType, resourceId: row.id, of: row, details: data }
      await recordChange(tx, { caller, request }, { ...change, before: previousValues(before, data) })
      return { data: serialize(row) }
    })
  })

  handle(app, routes.deletePromotionRule, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await promotionRuleStore.remove(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      const { fromEnvironmentId, environmentId, soakMinutes, start, mode } = row
      const before = { fromEnvironmentId, environmentId, soakMinutes, start, mode }
      const change = { action: 'promotion-rules.delete', resourceType, resourceId: row.id, of: row, before }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

const usual = { soakMinutes: 0, start: 'MANUAL', mode: 'ENFORCE' } as const

/**
 * Rejects a rule whose author lacks the permission to deploy, because automatic promotions use the author's
 * permissions.
 */
async function expectMayDeploy(app: App, caller: Caller, db: Db, ids: string[]): Promise<void> {
  const input = { params: {}, query: {}, body: { data: { ids } } }
  await requirePermission(
    app,
    { permission: 'deployments:write', on: { body: { ids: 'environments' } } },
    { input, caller, db },
  )
}

type Step = Pick<PromotionRuleRow, 'fromEnvironmentId' | 'environmentId'>

/** Returns the project of both environments, and locks them until the end of the transaction. */
async function lockStep(tx: Db, organizationId: string, step: Step): Promise<string> {
  const held = async (field: keyof Step) => {
    const environment = await lockEnvironmentShared(tx, organizationId, step[field])
    if (!environment) throw referenceNotFound(field, 'environment', step[field])
    return environment
  }
  const [from, to] = [await held('fromEnvironmentId'), await held('environmentId')]
  if (from.projectId !== to.projectId) throw stepInvalid('They are environments of two projects.')
  if (!(await isInOrder(tx, organizationId, step))) {
    const order = `PATCH /projects/${from.projectId}/environment-order`
    throw stepInvalid(`${from.name} is not before ${to.name} in the order of the project: ${order}.`)
  }
  return from.projectId
}

const stepInvalid = (message: string) => new ApiError('promotionStepInvalid', message)

/** Maximum number of rules of an organization, because each is evaluated every 30 seconds. */
const maxRules = 200

const tooMany = () =>
  new ApiError(
    'tooManyPromotionRules',
    `An organization can have at most ${maxRules} promotion rules. Delete some first.`,
  )

const notFound = (id: string) => missing('promotionRuleNotFound', 'promotion rule', id)

const serialize = (row: PromotionRuleRow): PromotionRule =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId,
    fromEnvironmentId: row.fromEnvironmentId,
    environmentId: row.environmentId,
    reason: row.reason ?? undefined,
    soakMinutes: row.soakMinutes,
    start: row.start,
    mode: row.mode,
    updatedBy: row.writtenBy,
  })

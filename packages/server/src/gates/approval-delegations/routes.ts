import { type ApprovalDelegation, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { mayDo } from '../../platform/auth/caller.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { momentOf } from '../../platform/http/moments.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { countDelegations, insertDelegation, listDelegations, lockMembers, removeDelegation } from './store.ts'
import type { ApprovalDelegationRow } from './tables.ts'

const resourceType = 'approval-delegation'

type Parts = { openPage: OpenPage; clock: () => Date }

export function serveApprovalDelegations(app: App, { openPage, clock }: Parts): void {
  handle(app, routes.createApprovalDelegation, ({ body: { data }, caller, db, request }) => {
    const { organizationId, membershipId } = caller
    const { delegateId, reason } = data
    const now = clock()
    const until = momentOf('until', data.until)
    const from = data.from === undefined ? now : momentOf('from', data.from)
    return db.transaction(async (tx) => {
      const people = await lockMembers(tx, organizationId, [membershipId, delegateId])
      if (!people.includes(membershipId)) throw impossible('Only people can delegate approvals.')
      if (!people.includes(delegateId)) throw referenceNotFound('delegateId', 'membership', delegateId)
      if (delegateId === membershipId) throw impossible('You cannot delegate approvals to yourself.')
      if (until <= from || until <= now) throw impossible('It would be over before it begins.')
      if (until.getTime() - now.getTime() > maxDurationMs) throw impossible('It would last for more than a year.')
      if ((await countDelegations(tx, organizationId, membershipId, now)) >= maxDelegations) throw tooMany()
      const row = await insertDelegation(tx, { organizationId, membershipId, delegateId, from, until, reason })
      const details = { membershipId, delegateId, from: from.toISOString(), until: until.toISOString() }
      const change = { action: 'approval-delegations.create', resourceType, resourceId: row.id }
      await recordChange(tx, { caller, request }, { ...change, details: { ...details, ...present({ reason }) } })
      return { data: serialize(row) }
    })
  })

  handle(app, routes.listApprovalDelegations, async ({ query, caller, db }) => {
    const page = openPage(routes.listApprovalDelegations, caller, query)
    return page.reply(await listDelegations(db, caller.organizationId, query, page), serialize)
  })

  handle(app, routes.deleteApprovalDelegation, ({ params: { id }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const whose = mayDo(caller, 'approval-rules:write') ? undefined : caller.membershipId
      const row = await removeDelegation(tx, caller.organizationId, id, whose)
      if (!row) throw missing('approvalDelegationNotFound', 'approval delegation of yours', id)
      const { membershipId, delegateId } = row
      const before = { membershipId, delegateId, from: row.from.toISOString(), until: row.until.toISOString() }
      const change = { action: 'approval-delegations.delete', resourceType, resourceId: id, before }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

/** Maximum duration of a delegation, in milliseconds: one year, including a leap day. */
const maxDurationMs = 366 * 86_400_000

/** Maximum number of concurrent delegations of a member. */
const maxDelegations = 20

const impossible = (why: string) => new ApiError('delegationImpossible', why)

const tooMany = () => impossible(`A person has ${maxDelegations} at a time at most. Delete some.`)

const serialize = (row: ApprovalDelegationRow): ApprovalDelegation =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    membershipId: row.membershipId,
    delegateId: row.delegateId,
    from: row.from.toISOString(),
    until: row.until.toISOString(),
    reason: row.reason ?? undefined,
  })

import { type Approval, type DecideDeployment, type Delegators, routes } from '@sluice/contract'
import type { Logger } from 'pino'
import { enforcedRequirements, missingApprovals, requireEligibleApprover } from '../../../gates/approvals.ts'
import { authorOf, type CallerRequest } from '../../../identity/audit-events/author.ts'
import { recordChange } from '../../../identity/audit-events/record.ts'
import type { Caller } from '../../../platform/auth/caller.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { Engine } from '../../../platform/engine/client.ts'
import { createDispatch } from '../../../platform/engine/dispatch.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { App } from '../../../platform/http/app.ts'
import { handle } from '../../../platform/http/handle.ts'
import type { OpenPage } from '../../../platform/http/pagination.ts'
import { missing } from '../../../platform/http/references.ts'
import { present } from '../../../platform/present.ts'
import { decisionMade, resourceType } from '../execution/decisions.ts'
import { rejectedBy } from '../execution/failures.ts'
import { toDeployment } from '../execution/wake.ts'
import { serializeDeployment } from '../representation/deployment.ts'
import { findDeployment, lockDeployment, lockTarget, saveState, wakeOne } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { typeOf } from '../types/deployment-types.ts'
import type { ReleaseDigests } from './release-digest.ts'
import { requiredApprovalsOf } from './required.ts'
import { insertApproval, listApprovals, removeApproval, saveRejection } from './store.ts'
import type { DeploymentApprovalRow } from './tables.ts'

type Parts = {
  engine: Engine
  openPage: OpenPage
  releaseDigests: ReleaseDigests
  clock: () => Date
  log: Logger
}

export function serveDeploymentApprovals(app: App, { engine, openPage, releaseDigests, clock, log }: Parts): void {
  const dispatch = createDispatch({ engine, log })
  app.addHook('onClose', dispatch.settled)
  const look = (row: DeploymentRow) => () => dispatch.soon(toDeployment(row.id))

  /** Returns the columns of a decision. The caller has confirmed what is approved by its digest. */
  const decisionOf = (
    { row, onBehalfOf }: DecidableDeployment,
    asking: CallerRequest,
    { comment, releaseDigest }: DecideDeployment,
  ) => {
    if (releaseDigest !== undefined && !releaseDigests.isOf(row.release, releaseDigest)) throw changed(row)
    const { organizationId, projectId, environmentId, id: deploymentId } = row
    const { principalType: actorType, membershipId: actorId } = asking.caller
    const { actorName } = authorOf(asking)
    return {
      organizationId,
      projectId,
      environmentId,
      deploymentId,
      actorType,
      actorId,
      actorName,
      onBehalfOf,
      comment: comment ?? null,
      releaseDigest: releaseDigests.of(row.release),
      createdAt: clock(),
    }
  }

  handle(app, routes.approveDeployment, ({ params, body, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const now = clock()
      const asked = await rowToDecide(tx, caller, params.id, now)
      const { row } = asked
      const decision = decisionOf(asked, { caller, request }, body.data ?? {})
      if (!(await insertApproval(tx, { ...decision, verdict: 'APPROVED' }))) throw approvedAlready(row)
      const { releaseDigest, onBehalfOf } = decision
      const told = present({ comment: body.data?.comment, onBehalfOf: onBehalfOf ?? undefined })
      const details = { ...told, releaseDigest }
      const change = { action: 'deployments.approve', resourceType, resourceId: row.id, details }
      await recordChange(tx, { caller, request }, change)
      afterwards(look(row))
      return { data: serializeDeployment(await wakeOne(tx, row, now)) }
    }),
  )

  handle(app, routes.rejectDeployment, ({ params, body, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const now = clock()
      const asked = await rowToDecide(tx, caller, params.id, now)
      const { row } = asked
      const decision = decisionOf(asked, { caller, request }, body.data ?? {})
      await saveRejection(tx, { ...decision, verdict: 'REJECTED' })
      const ended = typeOf(row).cancel(row, now, rejectedBy(decision.actorName, body.data?.comment))
      const saved = ended && (await saveState(tx, row, ended))
      if (!saved) throw new Error(`the deployment ${row.id} was locked and is another`)
      const { details, ...change } = decisionMade('deployments.reject', row, saved)
      const { comment, releaseDigest, onBehalfOf } = decision
      const said = present({ comment: comment ?? undefined, onBehalfOf: onBehalfOf ?? undefined })
      const told = { ...details, ...said, releaseDigest }
      await recordChange(tx, { caller, request }, { ...change, details: told })
      afterwards(look(row))
      return { data: serializeDeployment(saved) }
    }),
  )

  handle(app, routes.withdrawDeploymentApproval, ({ params, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const row = await lockWaiting(tx, caller, params.id)
      const removed = await removeApproval(tx, row, caller.membershipId)
      if (!removed) throw new ApiError('notApproved', `You have not approved the deployment ${row.id}.`)
      const before = present({ comment: removed.comment ?? undefined, approvedAt: removed.createdAt.toISOString() })
      const change = { action: 'deployments.withdraw', resourceType, resourceId: row.id, before }
      await recordChange(tx, { caller, request }, change)
      afterwards(look(row))
      return { data: serializeDeployment(await wakeOne(tx, row, clock())) }
    }),
  )

  handle(app, routes.listDeploymentApprovals, async ({ params, query, caller, db }) => {
    const page = openPage(routes.listDeploymentApprovals, caller, { ...query, ...params })
    const row = await findDeployment(db, caller.organizationId, params.id)
    if (!row) throw notFound(params.id)
    return page.reply(await listApprovals(db, row, page), serializeApproval)
  })
}

/**
 * Loads a deployment that waits for approval, and locks it against being started or ended until the transaction ends.
 */
async function lockWaiting(tx: Db, { organizationId }: Caller, id: string): Promise<DeploymentRow> {
  const found = await findDeployment(tx, organizationId, id)
  if (!found) throw notFound(id)
  // Lock the instance before the deployment, in the same order as `startNext`, to avoid a deadlock.
  await lockTarget(tx, found.moduleInstanceId)
  const row = await lockDeployment(tx, organizationId, id)
  if (!row) throw notFound(id)
  if (row.status === 'PENDING') return row
  throw new ApiError('noApprovalAwaited', `The deployment ${id} is ${row.status} and is not waiting for approval.`)
}

/** Deployment that the caller can approve, and the user whom the caller substitutes for. */
type DecidableDeployment = { row: DeploymentRow; onBehalfOf: Delegators | null }

async function rowToDecide(tx: Db, caller: Caller, id: string, now: Date): Promise<DecidableDeployment> {
  const row = await lockWaiting(tx, caller, id)
  const asked = await requiredApprovalsOf(tx, row)
  if (enforcedRequirements(asked).length === 0)
    throw new ApiError('noApprovalAwaited', `No approval rule applies to the deployment ${id}.`)
  if (missingApprovals(asked, now)?.decision === 'cancel')
    throw new ApiError('noApprovalAwaited', `The time to approve the deployment ${id} has expired.`)
  return { row, onBehalfOf: await requireEligibleApprover(tx, caller, asked, { now }) }
}

const notFound = (id: string) => missing('deploymentNotFound', 'deployment', id)

const changed = ({ id }: DeploymentRow) =>
  new ApiError(
    'releaseChanged',
    `The release of the deployment ${id} has changed since you fetched it. Fetch it again.`,
  )

const approvedAlready = ({ id }: DeploymentRow) =>
  new ApiError('alreadyApproved', `You have already approved the deployment ${id}.`, {
    description: `Take it back with POST /deployments/${id}/withdraw-approval.`,
  })

const serializeApproval = (row: DeploymentApprovalRow): Approval =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    deploymentId: row.deploymentId,
    verdict: row.verdict,
    actor: { type: row.actorType, id: row.actorId, name: row.actorName },
    onBehalfOf: row.onBehalfOf ?? undefined,
    comment: row.comment ?? undefined,
    releaseDigest: row.releaseDigest,
  })

import { routes, type WatchedRepository, type WatchedRepositoryPlan } from '@sluice/contract'
import { findCodeSource } from '../../git/code-sources/store.ts'
import type { CodeSourceRow } from '../../git/code-sources/tables.ts'
import { authorOf, type CallerRequest } from '../../identity/audit-events/author.ts'
import { previousValues, recordChange } from '../../identity/audit-events/record.ts'
import { findServiceAccount } from '../../identity/service-accounts/store.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { withAllScopesVisibleForCaller } from '../../platform/db/organization.ts'
import { isTaken } from '../../platform/db/violations.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { lockProjectShared } from '../../projects/projects/store.ts'
import { foundNothing } from './found.ts'
import {
  changeWatched,
  countEnvironments,
  dueBy,
  findWatched,
  insertWatched,
  listWatched,
  lockWatched,
  onePerProject,
  removeWatched,
  type WatchedChanges,
} from './store.ts'
import type { WatchedRepositoryRow } from './tables.ts'
import { toWatched } from './wake.ts'

const resourceType = 'watched-repository'

const usual = { path: '', apply: 'AFTER_APPROVAL', prune: false, runStacks: true, comments: true } as const

export function serveWatchedRepositories(app: App, { clock }: { clock: () => Date }): void {
  const tell = (id: string) => app.sendMessages([toWatched(id)])

  handle(app, routes.createWatchedRepository, async ({ body: { data }, caller, db, request, afterwards }) => {
    const { organizationId } = caller
    try {
      return await db.transaction(async (tx) => {
        if (!(await lockProjectShared(tx, organizationId, data.projectId))) {
          throw referenceNotFound('projectId', 'project', data.projectId)
        }
        await expectAccount(tx, organizationId, data.serviceAccountId)
        const source = await sourceOf(tx, organizationId, data.codeSourceId)
        const branch = data.branch ?? source.defaultBranch
        if (branch === null) throw invalid('The repository has no default branch: name one.')
        const given = { ...usual, ...data, branch }
        const row = await insertWatched(tx, {
          organizationId,
          ...given,
          status: 'PLANNING',
          plan: foundNothing,
          ...dueBy(clock()),
        })
        const change = { action: 'watched-repositories.create', resourceType, resourceId: row.id, of: row }
        await recordChange(tx, { caller, request }, { ...change, details: given })
        afterwards(() => tell(row.id))
        return { data: toWire(row) }
      })
    } catch (error) {
      if (!isTaken(error, onePerProject)) throw error
      const message = `The project ${data.projectId} already has a watched repository. Change that one.`
      throw new ApiError('watchedRepositoryTaken', message)
    }
  })

  handleList(app, routes.listWatchedRepositories, listWatched, toWire)
  handleGet(app, routes.getWatchedRepository, { find: findWatched, notFound, toWire })

  handle(app, routes.getWatchedRepositoryPlan, async ({ params, caller, db }) => {
    const row = await findWatched(db, caller.organizationId, params.id)
    if (!row) throw notFound(params.id)
    return { data: planToWire(row, await seesWhole(db, caller, row)) }
  })

  handle(app, routes.updateWatchedRepository, ({ params, body: { data }, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const before = await lockWatched(tx, caller.organizationId, params.id)
      if (!before) throw notFound(params.id)
      await expectAccount(tx, caller.organizationId, data.serviceAccountId ?? before.serviceAccountId)
      if (data.codeSourceId !== undefined) await sourceOf(tx, caller.organizationId, data.codeSourceId)
      const row = await changeWatched(tx, before, { ...data, ...anew, ...dueBy(clock()) })
      const change = { action: 'watched-repositories.update', resourceType, resourceId: row.id, of: row }
      await recordChange(tx, { caller, request }, { ...change, details: data, before: previousValues(before, data) })
      afterwards(() => tell(row.id))
      return { data: toWire(row) }
    }),
  )

  handle(app, routes.deleteWatchedRepository, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await lockWatched(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      await removeWatched(tx, row)
      const change = { action: 'watched-repositories.delete', resourceType, resourceId: row.id, of: row }
      await recordChange(tx, { caller, request }, change)
    }),
  )

  type Call = CallerRequest & {
    params: { id: string }
    caller: Caller
    db: Db
    afterwards: (work: () => unknown) => void
  }

  /** Requests a pass over a watched repository on behalf of a user. */
  const lookNow = (
    { params, caller, db, request, afterwards }: Call,
    verb: 'apply' | 'look',
    wish: (row: WatchedRepositoryRow) => WatchedChanges,
  ) =>
    db.transaction(async (tx) => {
      const before = await lockWatched(tx, caller.organizationId, params.id)
      if (!before) throw notFound(params.id)
      const changes = wish(before)
      const row = await changeWatched(tx, before, { failures: 0, ...changes, ...dueBy(clock()) })
      const details = present({ commit: before.commit ?? undefined })
      const change = { action: `watched-repositories.${verb}`, resourceType, resourceId: row.id, of: row, details }
      await recordChange(tx, { caller, request }, change)
      afterwards(() => tell(row.id))
      return { data: toWire(row) }
    })

  handle(app, routes.applyWatchedRepository, (call) =>
    lookNow(call, 'apply', ({ planDigest }) => {
      if (planDigest !== call.body.data.planDigest) {
        const message = 'The plan has changed since you fetched it. Fetch it again.'
        throw new ApiError('watchedPlanChanged', message)
      }
      return { approvedDigest: planDigest, approvedBy: authorOf(call).actorName }
    }),
  )

  handle(app, routes.checkWatchedRepository, (call) => lookNow(call, 'look', () => ({})))
}

/** Resets the findings, which are outdated after a change. */
const anew: WatchedChanges = {
  status: 'PLANNING',
  message: null,
  commit: null,
  plannedAt: null,
  plan: foundNothing,
  planDigest: null,
  changeCount: 0,
  faultCount: 0,
  approvedDigest: null,
  approvedBy: null,
  appliedCommit: null,
  appliedAt: null,
  failures: 0,
}

async function expectAccount(tx: Db, organizationId: string, id: string | null): Promise<void> {
  if (id === null) throw invalid('Its service account is gone: name another one.')
  if (await findServiceAccount(tx, organizationId, id)) return
  throw referenceNotFound('serviceAccountId', 'service account', id)
}

async function sourceOf(tx: Db, organizationId: string, id: string): Promise<CodeSourceRow> {
  const source = await findCodeSource(tx, organizationId, id)
  if (!source) throw referenceNotFound('codeSourceId', 'code source', id)
  return source
}

/** Reports whether the caller can see the whole project. Others do not get its plan. */
async function seesWhole(db: Db, { access }: Caller, { organizationId, projectId }: WatchedRepositoryRow) {
  if (access.hidden.size === 0) return true
  const seen = await countEnvironments(db, organizationId, projectId)
  return (
    seen === (await withAllScopesVisibleForCaller(db, access, (tx) => countEnvironments(tx, organizationId, projectId)))
  )
}

const invalid = (message: string) => new ApiError('watchedRepositoryInvalid', message)

const notFound = (id: string) => missing('watchedRepositoryNotFound', 'watched repository', id)

const toWire = (row: WatchedRepositoryRow): WatchedRepository =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId,
    codeSourceId: row.codeSourceId,
    branch: row.branch,
    path: row.path,
    serviceAccountId: row.serviceAccountId ?? undefined,
    apply: row.apply,
    prune: row.prune,
    runStacks: row.runStacks,
    comments: row.comments,
    status: row.status,
    message: row.message ?? undefined,
    commit: row.commit ?? undefined,
    plannedAt: row.plannedAt?.toISOString(),
    appliedCommit: row.appliedCommit ?? undefined,
    appliedAt: row.appliedAt?.toISOString(),
    planDigest: row.planDigest ?? undefined,
    changeCount: row.changeCount,
    errorCount: row.faultCount,
    approvedBy: row.approvedBy ?? undefined,
    nextCheckAt: row.dueAt?.toISOString(),
  })

function planToWire(row: WatchedRepositoryRow, isShown: boolean): WatchedRepositoryPlan {
  const { changes, faults, isCut } = isShown ? row.plan : foundNothing
  const { commit, plannedAt, planDigest } = row
  return present({
    commit: commit ?? undefined,
    plannedAt: plannedAt?.toISOString(),
    planDigest: planDigest ?? undefined,
    changes,
    errors: faults,
    isTruncated: isCut,
    isWithheld: !isShown,
  })
}

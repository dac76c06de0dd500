import { type PreviewEnvironment, type PreviewTemplate, routes, type UpdatePreviewTemplate } from '@sluice/contract'
import { ExpressionError, render } from '@sluice/expressions'
import { findCodeSource } from '../../git/code-sources/store.ts'
import { authorOf, type CallerRequest } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { lockPipelineShared } from '../../pipelines/pipelines/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { listed } from '../../platform/http/listed.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { lockEnvironmentShared } from '../../projects/environments/store.ts'
import { lockProjectShared } from '../../projects/projects/store.ts'
import { rootsOf } from './copy.ts'
import {
  countLeft,
  countsOf,
  countTemplates,
  findPreview,
  findTemplate,
  insertTemplate,
  listPreviews,
  listTemplates,
  lockPreview,
  lockTemplate,
  type PreviewChanges,
  removeTemplate,
  savePreview,
  updateTemplate,
} from './store.ts'
import type { PreviewRow, PreviewTemplateRow } from './tables.ts'
import { toPreview } from './wake.ts'

type Parts = { clock: () => Date }

export function servePreviewEnvironments(app: App, parts: Parts): void {
  serveTemplates(app)
  servePreviews(app, parts)
}

const usual = {
  inputs: {},
  pipelineInputs: {},
  namePattern: 'pr-{number}',
  lifetimeHours: 72,
  maxPerProject: 10,
  allowsForks: false,
}

function serveTemplates(app: App): void {
  const resourceType = 'preview-template'

  handle(app, routes.createPreviewTemplate, ({ body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      if ((await countTemplates(tx, organizationId)) >= maxTemplates) throw tooMany()
      const given = { ...usual, ...data }
      await requireValid(tx, { organizationId, ...given })
      if (!(await findCodeSource(tx, organizationId, given.codeSourceId))) {
        throw referenceNotFound('codeSourceId', 'code source', given.codeSourceId)
      }
      const row = await insertTemplate(tx, { organizationId, ...given, ...writerOf({ caller, request }) })
      const change = { action: 'preview-templates.create', resourceType, resourceId: row.id, of: row }
      await recordChange(tx, { caller, request }, { ...change, details: withoutValues(data) })
      return { data: toWire(row) }
    }),
  )

  handleList(app, routes.listPreviewTemplates, listTemplates, toWire)

  handleGet(app, routes.getPreviewTemplate, { find: findTemplate, notFound: templateNotFound, toWire })

  handle(app, routes.updatePreviewTemplate, ({ params, body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const before = await lockTemplate(tx, caller.organizationId, params.id)
      if (!before) throw templateNotFound(params.id)
      await requireValid(tx, { ...before, ...data })
      const row = await updateTemplate(tx, before, { ...data, ...writerOf({ caller, request }) })
      const change = { action: 'preview-templates.update', resourceType, resourceId: row.id, of: row }
      await recordChange(tx, { caller, request }, { ...change, details: withoutValues(data) })
      return { data: toWire(row) }
    }),
  )

  handle(app, routes.deletePreviewTemplate, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await lockTemplate(tx, caller.organizationId, params.id)
      if (!row) throw templateNotFound(params.id)
      const left = await countLeft(tx, caller.organizationId, row.id)
      if (left > 0) {
        const message = `${left} preview environments are left of the template: end them, and delete it once they are gone.`
        throw new ApiError('previewTemplateInUse', message)
      }
      await removeTemplate(tx, row)
      const change = { action: 'preview-templates.delete', resourceType, resourceId: row.id, of: row }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

function writerOf(asking: CallerRequest) {
  const { actorName: writtenBy, actorId: writtenById } = authorOf(asking)
  return { writtenBy, writtenById }
}

/** Removes input values for the audit log, because they may be secrets. */
const withoutValues = ({ inputs, pipelineInputs, ...rest }: UpdatePreviewTemplate): Record<string, unknown> => ({
  ...rest,
  ...(inputs && { inputs: Object.fromEntries(Object.entries(inputs).map(([id, one]) => [id, Object.keys(one)])) }),
  ...(pipelineInputs && { pipelineInputs: Object.keys(pipelineInputs) }),
})

type Given = Pick<
  PreviewTemplateRow,
  'organizationId' | 'projectId' | 'environmentId' | 'inputs' | 'pipelineInputs'
> & {
  pipelineId?: string | null
}

/** Rejects a template from which no environment could be created. */
async function requireValid(tx: Db, { organizationId, projectId, environmentId, pipelineId, ...given }: Given) {
  if (!(await lockProjectShared(tx, organizationId, projectId)))
    throw referenceNotFound('projectId', 'project', projectId)
  const environment = await lockEnvironmentShared(tx, organizationId, environmentId)
  if (environment?.projectId !== projectId) throw referenceNotFound('environmentId', 'environment', environmentId)
  if (environment.previewEnvironmentId !== null) throw invalid([`${environment.name} is a preview environment itself`])
  const pipeline = pipelineId ? await lockPipelineShared(tx, organizationId, pipelineId) : undefined
  if (pipelineId && pipeline?.projectId !== projectId) throw referenceNotFound('pipelineId', 'pipeline', pipelineId)
  const sample = rootsOf({ number: 1, branch: 'main', commit: '0'.repeat(40) }, { id: environmentId, givenId: 'pr-1' })
  try {
    render({ inputs: given.inputs, pipelineInputs: given.pipelineInputs }, sample)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw invalid(error.faults.map(({ path, message }) => `${path}: ${message}`))
  }
}

const invalid = (items: string[]) =>
  new ApiError('previewTemplateInvalid', 'The template cannot create a preview environment.', {
    details: listed('Template', items),
  })

const maxTemplates = 100

const tooMany = () =>
  new ApiError(
    'tooManyPreviewTemplates',
    `An organization can have at most ${maxTemplates} preview templates. Delete some first.`,
  )

const templateNotFound = (id: string) => missing('previewTemplateNotFound', 'preview template', id)

const toWire = (row: PreviewTemplateRow): PreviewTemplate =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    codeSourceId: row.codeSourceId,
    branches: row.branches ?? undefined,
    paths: row.paths ?? undefined,
    instances: row.instances ?? undefined,
    inputs: row.inputs,
    pipelineId: row.pipelineId ?? undefined,
    pipelineInputs: row.pipelineInputs,
    namePattern: row.namePattern,
    lifetimeHours: row.lifetimeHours,
    maxPerProject: row.maxPerProject,
    allowsForks: row.allowsForks,
    updatedBy: row.writtenBy,
  })

function servePreviews(app: App, { clock }: Parts): void {
  const resourceType = 'preview-environment'

  handle(app, routes.listPreviewEnvironments, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listPreviewEnvironments, caller, query)
    const found = await listPreviews(db, caller.organizationId, query, page)
    const show = await shownOf(db, caller.organizationId, found.rows, clock())
    return page.reply(found, show)
  })

  handle(app, routes.getPreviewEnvironment, async ({ params, caller, db }) => {
    const row = await findPreview(db, caller.organizationId, params.id)
    if (!row) throw previewNotFound(params.id)
    return { data: (await shownOf(db, caller.organizationId, [row], clock()))(row) }
  })

  type Call = CallerRequest & { params: { id: string }; db: Db; afterwards: (work: () => unknown) => void }

  /**
   * Applies a user's change to a preview environment and schedules a reconciliation. Undefined changes leave it
   * unchanged.
   */
  const decide = (
    { params, caller, db, request, afterwards }: Call,
    verb: 'extend' | 'end' | 'retry',
    wish: (row: PreviewRow, now: Date) => PreviewChanges | undefined,
  ) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const before = await lockPreview(tx, organizationId, params.id)
      if (!before) throw previewNotFound(params.id)
      const now = clock()
      const changes = wish(before, now)
      const row = changes ? await savePreview(tx, before, { ...changes, wakeAt: now }, now) : before
      if (changes) {
        const details = present({ expiresAt: changes.expiresAt?.toISOString() })
        const change = { action: `preview-environments.${verb}`, resourceType, resourceId: row.id, of: row, details }
        await recordChange(tx, { caller, request }, change)
        afterwards(() => app.sendMessages([toPreview(row.id)]))
      }
      return { data: (await shownOf(tx, organizationId, [row], now))(row) }
    })

  handle(app, routes.extendPreviewEnvironment, (call) =>
    decide(call, 'extend', ({ endReason, id }, now) => {
      if (endReason !== null) {
        const message = `The preview environment ${id} is torn down: reopen the pull request to create it again.`
        throw new ApiError('previewEnvironmentEnded', message)
      }
      return { expiresAt: new Date(now.getTime() + call.body.data.hours * 3_600_000) }
    }),
  )

  handle(app, routes.endPreviewEnvironment, (call) =>
    decide(call, 'end', ({ endReason }) => (endReason === null ? { endReason: 'ENDED' } : undefined)),
  )

  handle(app, routes.retryPreviewEnvironment, (call) =>
    decide(call, 'retry', ({ id, status, failedTeardowns, endReason }) => {
      if (status === 'DESTROYING' && failedTeardowns > 0) return { retryAt: null }
      if (status === 'FAILED' && endReason === null) return { begunCommit: null }
      throw new ApiError('previewEnvironmentNotFailed', `The preview environment ${id} has not failed: ${status}.`)
    }),
  )
}

/** Returns a function that serializes preview environments with their current counts. */
async function shownOf(db: Db, organizationId: string, rows: readonly PreviewRow[], now: Date) {
  const counts = await countsOf(
    db,
    organizationId,
    rows.flatMap(({ environmentId }) => environmentId ?? []),
  )
  return (row: PreviewRow): PreviewEnvironment => {
    const { resources = 0, instances = 0 } = (row.environmentId && counts.get(row.environmentId)) || {}
    const upMs = row.earlierUpMs + (row.upSince === null ? 0 : Math.max(0, now.getTime() - row.upSince.getTime()))
    return present({
      id: row.id,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
      organizationId: row.organizationId,
      projectId: row.projectId,
      previewTemplateId: row.previewTemplateId,
      codeSourceId: row.codeSourceId,
      givenId: row.givenId,
      environmentId: row.environmentId ?? undefined,
      pullRequest: {
        number: row.number,
        branch: row.branch,
        commit: row.commit,
        by: row.askedBy,
        isFromFork: row.isFromFork,
      },
      status: row.status,
      message: row.message ?? undefined,
      endReason: row.endReason ?? undefined,
      expiresAt: row.endReason === null ? row.expiresAt.toISOString() : undefined,
      pipelineRunId: row.pipelineRunId ?? undefined,
      failedTeardowns: row.failedTeardowns,
      retryAt: row.retryAt?.toISOString(),
      upSeconds: Math.floor(upMs / 1_000),
      resourceCount: resources,
      instanceCount: instances,
    })
  }
}

const previewNotFound = (id: string) => missing('previewEnvironmentNotFound', 'preview environment', id)

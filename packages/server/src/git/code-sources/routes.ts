import { randomBytes } from 'node:crypto'
import { type CodeSource, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { hashOf } from '../../platform/auth/token.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { originOf } from '../../platform/http/origin.ts'
import { missing } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { branchesOf } from './branches.ts'
import { type Connectable, readConnectable } from './connect.ts'
import type { OpenParts } from './open.ts'
import { findCodeSource, insertCodeSource, listCodeSources, removeCodeSource, setWebhookSecret } from './store.ts'
import type { CodeSourceRow } from './tables.ts'

const resourceType = 'code-source'

export function serveCodeSources(app: App, parts: OpenParts): void {
  handle(
    app,
    routes.createCodeSource,
    ({ caller, db, request }, given: Connectable) =>
      rejectTaken('code_sources_organization_repo_url', repositoryTaken(given.repoUrl), () =>
        db.transaction(async (tx) => {
          const source = await insertCodeSource(tx, caller.organizationId, given)
          const change = { action: 'code-sources.create', resourceType, resourceId: source.id, details: given }
          await recordChange(tx, { caller, request }, change)
          return { data: toWire(source) }
        }),
      ),
    ({ body: { data }, caller, db }) => readConnectable(db, parts, caller.organizationId, data),
  )

  handleList(app, routes.listCodeSources, listCodeSources, toWire)
  handleGet(app, routes.getCodeSource, { find: findCodeSource, notFound, toWire })

  handle(app, routes.deleteCodeSource, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      if (!(await removeCodeSource(tx, caller.organizationId, params.id))) throw notFound(params.id)
      const change = { action: 'code-sources.delete', resourceType, resourceId: params.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )

  handle(app, routes.listBranches, async ({ params, caller, db }) => {
    const source = await findCodeSource(db, caller.organizationId, params.id)
    if (!source) throw notFound(params.id)
    const names = await branchesOf(db, parts, source)
    return { data: names.map((name) => ({ name })) }
  })

  handle(app, routes.createWebhookSecret, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const source = await findCodeSource(tx, caller.organizationId, params.id)
      if (!source) throw notFound(params.id)
      if (source.type === 'GITHOSTA') {
        throw new ApiError(
          'webhookOfApp',
          `${source.repoName} needs no webhook: the app of Sluice at the Git host delivers its events.`,
        )
      }
      const secret = randomBytes(32).toString('base64url')
      await setWebhookSecret(tx, caller.organizationId, source.id, hashOf(secret))
      const change = { action: 'code-sources.webhook-secret', resourceType, resourceId: source.id }
      await recordChange(tx, { caller, request }, change)
      return { data: { url: `${originOf(app, request)}/webhooks/githostb/${source.id}`, secret } }
    }),
  )
}

const repositoryTaken = (repoUrl: string) => () =>
  new ApiError('codeSourceTaken', `The repository ${repoUrl} is already connected.`)

const notFound = (id: string) => missing('codeSourceNotFound', 'code source', id)

const toWire = (row: CodeSourceRow): CodeSource => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  type: row.type,
  repoUrl: row.repoUrl,
  repoName: row.repoName,
  ...(row.gitRepositoryId !== null && { gitRepositoryId: row.gitRepositoryId }),
  ...(row.defaultBranch !== null && { defaultBranch: row.defaultBranch }),
  visibility: row.visibility,
  accessLost: row.accessLost,
  auth: row.auth,
})

import { type CodeSource, type CodeSourceAuth, type CreateCodeSource, routes } from '@sluice/contract'
import { recordChange } from '../audit-events/record.ts'
import { readRepositoryUrl } from '../git/repository-url.ts'
import type { App } from '../platform/http/app.ts'
import { handle } from '../platform/http/handle.ts'
import { bodyInvalid } from '../platform/http/input.ts'
import type { OpenPage } from '../platform/http/pagination.ts'
import { Refusal } from '../platform/http/refusal.ts'
import { refuseTaken } from '../platform/http/taken.ts'
import { findCodeSource, insertCodeSource, listCodeSources, removeCodeSource } from './store.ts'
import type { CodeSourceRow } from './tables.ts'

const resourceType = 'code-source'

export function serveCodeSources(app: App, { openPage }: { openPage: OpenPage }): void {
  handle(app, routes.createCodeSource, async ({ body: { data }, caller, db, request }) => {
    const { type } = data
    const repository = readRepositoryUrl(type, data.repoUrl)
    const faults = authFaults(data)
    if ('expected' in repository) throw bodyInvalid([`$.data.repoUrl: expected ${repository.expected}`, ...faults])
    if (faults.length > 0) throw bodyInvalid(faults)
    return refuseTaken('code_sources_organization_repo_url', repositoryTaken(repository.repoUrl), () =>
      db.transaction(async (tx) => {
        const given = { type, ...repository, visibility: 'UNKNOWN' as const, auth: authOf(data) }
        const source = await insertCodeSource(tx, caller.organizationId, given)
        const change = { action: 'code-sources.create', resourceType, resourceId: source.id, details: given }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(source) }
      }),
    )
  })

  handle(app, routes.listCodeSources, async ({ query, caller, db }) => {
    const page = openPage(routes.listCodeSources, caller, query)
    return page.reply(await listCodeSources(db, caller.organizationId, query, page), toWire)
  })

  handle(app, routes.getCodeSource, async ({ params, caller, db }) => {
    const source = await findCodeSource(db, caller.organizationId, params.id)
    if (!source) throw notFound(params.id)
    return { data: toWire(source) }
  })

  handle(app, routes.deleteCodeSource, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      if (!(await removeCodeSource(tx, caller.organizationId, params.id))) throw notFound(params.id)
      const change = { action: 'code-sources.delete', resourceType, resourceId: params.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )

  // Git hosts cannot be set up yet, so none can be asked and nobody can have been sent to one.
  handle(app, routes.listBranches, async ({ params, caller, db }) => {
    const source = await findCodeSource(db, caller.organizationId, params.id)
    if (!source) throw notFound(params.id)
    const message = `The git host of ${source.repoName} is not set up on this server, so its branches cannot be listed.`
    throw new Refusal('gitHostNotConfigured', message, {
      action: { label: 'Look at the repository', url: source.repoUrl },
    })
  })

  handle(app, routes.gitHostBCallback, async () => {
    throw new Refusal('gitStateInvalid', 'This state was not handed out here; begin again where you wanted to connect.')
  })
}

/** What is wrong with how the repository is to be read, for its type. */
function authFaults({ type, githostaInstallationId, githostbConnectionId }: CreateCodeSource): string[] {
  if (type !== 'GITHOSTA') {
    return githostaInstallationId === undefined ? [] : [`$.data.githostaInstallationId: expected nothing for ${type}`]
  }
  return [
    ...(githostaInstallationId === undefined ? ['$.data.githostaInstallationId: expected a value, it is missing'] : []),
    ...(githostbConnectionId === undefined ? [] : [`$.data.githostbConnectionId: expected nothing for ${type}`]),
  ]
}

function authOf({ githostaInstallationId, githostbConnectionId }: CreateCodeSource): CodeSourceAuth {
  if (githostaInstallationId !== undefined) return { kind: 'installation', githostaInstallationId }
  if (githostbConnectionId !== undefined) return { kind: 'connection', githostbConnectionId }
  return { kind: 'none' }
}

const repositoryTaken = (repoUrl: string) => () =>
  new Refusal('codeSourceTaken', `The repository ${repoUrl} is connected already.`)

const notFound = (id: string) =>
  new Refusal('codeSourceNotFound', `There is no code source ${id} in this organization.`)

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

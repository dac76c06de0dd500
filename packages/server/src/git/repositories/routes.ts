import { isUtf8 } from 'node:buffer'
import { type Repository, type RepositoryContent, routes } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import {
  type AccessibleRepository,
  type CommitFacts,
  type ContentFacts,
  maxFileBytes,
  type RefFacts,
} from '../adapter/host.ts'
import type { Listed } from '../adapter/pages.ts'
import { withApiErrors } from '../code-sources/api-errors.ts'
import { askRepository, readNamed } from '../code-sources/ask.ts'
import type { OpenParts } from '../code-sources/open.ts'
import { findCodeSource } from '../code-sources/store.ts'
import type { CodeSourceRow } from '../code-sources/tables.ts'
import { findInstallation } from '../githosta-installations/store.ts'
import { findGithostbConnection } from '../githostb-connections/store.ts'
import { commitToWire } from './commit-to-wire.ts'
import { hostAnswers } from './host-answers.ts'
import { byName, byNameDown, pageOfListed } from './search.ts'

/** Registers the routes that list repositories and the contents of connected ones. */
export function serveRepositories(app: App, { clock, ...parts }: OpenParts & { clock: () => Date }): void {
  const { hosts, tokens } = parts
  const repositories = hostAnswers<Listed<AccessibleRepository>>(clock)
  const refs = hostAnswers<Listed<RefFacts>>(clock)
  const commits = hostAnswers<Listed<CommitFacts>>(clock)
  const contents = hostAnswers<ContentFacts>(clock)

  handle(app, routes.listInstallationRepositories, async ({ params: { id }, query, caller, db }) => {
    const installation = await findInstallation(db, caller.organizationId, id)
    if (!installation) throw missing('githostaInstallationNotFound', 'installation', id)
    const { githostaInstallationId, accountName, organizationId } = installation
    const seen = await withApiErrors({ name: accountName, url: hosts.a.url }, () =>
      repositories.get([organizationId, id], () => hosts.a.repositories(githostaInstallationId)),
    )
    const page = app.openPage(routes.listInstallationRepositories, caller, query)
    return shown(pageOfListed(seen, { page, search: query.search, nameOf, order: byName }))
  })

  handle(app, routes.listConnectionRepositories, async ({ params: { id }, query, caller, db }) => {
    const connection = await findGithostbConnection(db, caller.organizationId, id)
    if (!connection) throw missing('githostbConnectionNotFound', 'connection', id)
    const { baseUrl, userName, organizationId } = connection
    const seen = await withApiErrors({ name: `What ${userName} sees`, url: baseUrl }, () =>
      repositories.get([organizationId, id], () => hosts.b(baseUrl).repositories(tokens(connection))),
    )
    const page = app.openPage(routes.listConnectionRepositories, caller, query)
    return shown(pageOfListed(seen, { page, search: query.search, nameOf, order: byName }))
  })

  handle(app, routes.listRepositoryRefs, async ({ params, query, caller, db }) => {
    const { type, search } = query
    const source = await sourceOf(db, caller.organizationId, params.id)
    const listed = await refs.get([...placeOf(source), type], () =>
      askRepository(db, parts, source, (repository) => repository.refs(type)),
    )
    const order = type === 'TAG' ? byNameDown : byName
    const page = app.openPage(routes.listRepositoryRefs, caller, query)
    return pageOfListed(listed, { page, search, nameOf: ({ name }) => name, order })
  })

  handle(app, routes.listRepositoryCommits, async ({ params, query: { from, to }, caller, db }) => {
    const source = await sourceOf(db, caller.organizationId, params.id)
    const read = readNamed((repository) => repository.commitsBetween(from, to))
    const { items, isComplete } = await commits.get([...placeOf(source), from, to], () =>
      askRepository(db, parts, source, read),
    )
    return { data: items.map(commitToWire), meta: { isComplete } }
  })

  handle(app, routes.getRepositoryContent, async ({ params, query: { path = '', ref }, caller, db }) => {
    const source = await sourceOf(db, caller.organizationId, params.id)
    const read = readNamed((repository) => repository.contents(path, ref))
    const found = await contents.get([...placeOf(source), path, ...(ref === undefined ? [] : [ref])], () =>
      askRepository(db, parts, source, read),
    )
    return { data: contentToWire(path, found) }
  })
}

async function sourceOf(db: Db, organizationId: string, id: string): Promise<CodeSourceRow> {
  const source = await findCodeSource(db, organizationId, id)
  if (!source) throw missing('codeSourceNotFound', 'code source', id)
  return source
}

/** Cache key, which changes when lost access is restored. */
const placeOf = ({ organizationId, id, accessLost }: CodeSourceRow) => [organizationId, id, String(accessLost)]

const nameOf = ({ repoName }: AccessibleRepository) => repoName

const shown = <Meta>({
  data,
  meta,
}: {
  data: AccessibleRepository[]
  meta: Meta
}): { data: Repository[]; meta: Meta } => ({
  data: data.map(({ defaultBranch, ...repository }) => ({
    ...repository,
    ...(defaultBranch !== undefined && { defaultBranch }),
  })),
  meta,
})

function contentToWire(path: string, found: ContentFacts): RepositoryContent {
  if (found.type === 'DIRECTORY') {
    const below = path === '' ? '' : `${path}/`
    const entries = found.items
      .map(({ name, type }) => ({ name, path: `${below}${name}`, type }))
      .toSorted((a, b) => byName(a.name, b.name))
    return { type: 'DIRECTORY', path, entries, isComplete: found.isComplete }
  }
  const { content, bytes } = found
  if (content === undefined) {
    const message = `${path} has ${bytes} bytes; files of up to ${maxFileBytes} bytes are shown. Clone the repository.`
    throw new ApiError('repositoryFileTooLarge', message)
  }
  const isText = isUtf8(content) && !content.includes(0)
  const written = isText ? content.toString('utf8') : content.toString('base64')
  return { type: 'FILE', path, bytes, encoding: isText ? 'UTF8' : 'BASE64', content: written }
}

import { setImmediate as turn } from 'node:timers/promises'
import { type Client, createClient } from '@sluice/client'
import type { Logger } from 'pino'
import type { HostedRepository } from '../../git/adapter/host.ts'
import { FolderTooLarge, filesIn, type RepositoryFile } from '../../git/code-sources/files.ts'
import { type OpenParts, openRepository } from '../../git/code-sources/open.ts'
import { findCodeSource } from '../../git/code-sources/store.ts'
import type { CodeSourceRow } from '../../git/code-sources/tables.ts'
import { findServiceAccountCaller } from '../../identity/auth/store.ts'
import { getWorkerResult, runWithWorkerResults } from '../../platform/aside/answered.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import type { OwnRequests } from '../../platform/http/own-requests.ts'
import { findProject } from '../../projects/projects/store.ts'
import { withAccess } from '../../projects/role-grants/access.ts'
import type { Planned } from '../project-files/apply.ts'
import { makePlan } from '../project-files/make-plan.ts'
import { readProjectFiles } from '../project-files/read.ts'
import type { work } from '../source-text/cost.ts'
import type { FileProblem } from '../source-text/fault.ts'
import { decodeText } from '../source-text/text.ts'
import type { WatchedRepositoryRow } from './tables.ts'

export interface WatchedParts extends OpenParts {
  db: Db
  clock: () => Date
  log: Logger
  ofOrganization: Database['ofOrganization']
  ownRequests: OwnRequests
  /** Returns the address of a console page. */
  linkTo: (page: string) => string
}

/** Error that a user must fix, so that a retry is useless. */
export class CannotBeWatched extends Error {
  override name = 'CannotBeWatched'
}

/** Opened watched repository: its host, the service account's client, and the project. */
export type OpenedRepository = {
  source: CodeSourceRow
  repository: HostedRepository
  client: Client
  project: string
}

/** Opens a watched repository: the host, and a client for our own operations as the service account. */
export async function openWatched(parts: WatchedParts, watched: WatchedRepositoryRow): Promise<OpenedRepository> {
  const { organizationId, codeSourceId, serviceAccountId, projectId } = watched
  const source = await findCodeSource(parts.db, organizationId, codeSourceId)
  if (!source) throw new CannotBeWatched('The repository is no longer connected.')
  if (serviceAccountId === null) throw new CannotBeWatched('The service account is gone: name another one.')
  const project = await findProject(parts.db, organizationId, projectId)
  if (!project) throw new CannotBeWatched('The project is gone.')
  const repository = await openRepository(parts.db, parts, source)
  const { ofOrganization, ownRequests } = parts
  const fetch = ownRequests.fetchAs(async () => {
    const db = ofOrganization(organizationId)
    return withAccess(ofOrganization, await findServiceAccountCaller(db, { organizationId, serviceAccountId }))
  })
  const client = createClient({ baseUrl: 'http://sluice', userAgent: 'sluice-watched-repository', fetch })
  return { source, repository, client, project: project.givenId }
}

/** Limits on the number and size of files, sufficient for any project and small enough for a shared service. */
const max = { files: 500, folders: 200, bytesOfOne: 512 * 1024, bytes: 4 * 1024 * 1024 } as const
const endings = ['.yaml', '.yml', '.json'] as const

/** Maximum processor time for parsing all files, in milliseconds. */
const maxParseMs = 2_000

/** Returns the changes that the files at a commit would make, or all errors in them. */
export async function planCommit(
  { client, repository, project }: OpenedRepository,
  { organizationId, path, prune }: WatchedRepositoryRow,
  commit: string,
): Promise<Planned | { faults: FileProblem[] }> {
  const files = await filesIn(repository, { path, commit, endings, max })
  await rejectSlowYaml(organizationId, files)
  const read = await readProjectFiles(inTurns(files), { project })
  // Otherwise, moving the files away would look like a request to delete everything.
  if (read.written.length === 0 && read.faults.length === 0) {
    throw new CannotBeWatched(`No file in ${path || 'the repository'} has a document of a project.`)
  }
  return makePlan(client, read, { project, prune, withoutSecrets: true })
}

/** Rejects YAML that takes too long to parse, measured in a worker thread. */
async function rejectSlowYaml(organizationId: string, files: readonly RepositoryFile[]): Promise<void> {
  const module = new URL('../source-text/cost.ts', import.meta.url)
  let leftMs = maxParseMs
  for (const { path, content } of files) {
    const input = { text: decodeText(content) }
    const cost = await runWithWorkerResults(
      organizationId,
      async () => getWorkerResult<ReturnType<typeof work>>(module, input),
      {
        isOwn: true,
      },
    )
    const trouble = 'trouble' in cost ? cost.trouble : 'trouble' in cost.result ? cost.result.trouble : undefined
    if (trouble !== undefined) throw new FolderTooLarge(`${path} takes too long to read: ${trouble}.`)
    if ('result' in cost && 'ms' in cost.result) leftMs -= cost.result.ms
    if (leftMs < 0) throw new FolderTooLarge(`The files take more than ${maxParseMs / 1_000} s to read.`)
  }
}

/** Yields files one by one, so that the event loop can serve other requests in between. */
async function* inTurns(files: readonly RepositoryFile[]) {
  for (const { path: file, content: bytes } of files) {
    await turn()
    yield { file, bytes }
  }
}

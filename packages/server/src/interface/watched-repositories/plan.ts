import { setImmediate as turn } from 'node:timers/promises'
import { type Client, createClient } from '@sluice/client'
import type { Logger } from 'pino'
import type { HostedRepository } from '../../git/adapter/host.ts'
import { filesIn, type RepositoryFile, TooMuchToRead } from '../../git/code-sources/files.ts'
import { type OpenParts, openRepository } from '../../git/code-sources/open.ts'
import { findCodeSource } from '../../git/code-sources/store.ts'
import type { CodeSourceRow } from '../../git/code-sources/tables.ts'
import { findServiceAccountCaller } from '../../identity/auth/store.ts'
import { answered, ask } from '../../platform/aside/answered.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import type { OwnRequests } from '../../platform/http/own-requests.ts'
import { findProject } from '../../projects/projects/store.ts'
import { withAccess } from '../../projects/role-grants/access.ts'
import type { Planned } from '../project-files/apply.ts'
import { makePlan } from '../project-files/make-plan.ts'
import { readProjectFiles } from '../project-files/read.ts'
import type { work } from '../source-text/cost.ts'
import type { Fault } from '../source-text/fault.ts'
import { textOf } from '../source-text/text.ts'
import type { WatchedRepositoryRow } from './tables.ts'

export interface WatchedParts extends OpenParts {
  db: Db
  clock: () => Date
  log: Logger
  ofOrganization: Database['ofOrganization']
  ownRequests: OwnRequests
  /** The address of a page of the console. */
  linkTo: (page: string) => string
}

/** Somebody has to mend that: trying again changes nothing. */
export class CannotBeWatched extends Error {
  override name = 'CannotBeWatched'
}

/** A repository as it is watched: where it is, who acts, and for which project. */
export type Opened = {
  source: CodeSourceRow
  repository: HostedRepository
  client: Client
  project: string
}

/** Opens what is needed to look: the host, and our own operations as the service account. */
export async function openWatched(parts: WatchedParts, watched: WatchedRepositoryRow): Promise<Opened> {
  const { organizationId, codeSourceId, serviceAccountId, projectId } = watched
  const source = await findCodeSource(parts.db, organizationId, codeSourceId)
  if (!source) throw new CannotBeWatched('The repository is not connected any more.')
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

/** More than any project has, and little enough for a service that others use as well. */
const most = { files: 500, folders: 200, bytesOfOne: 512 * 1024, bytes: 4 * 1024 * 1024 } as const
const endings = ['.yaml', '.yml', '.json'] as const

/** How long it may take to read the texts of all files. Milliseconds of the processor. */
const readingMs = 2_000

/** What would change by the files at a commit; or all that is wrong with them. */
export async function planAt(
  { client, repository, project }: Opened,
  { organizationId, path, prune }: WatchedRepositoryRow,
  commit: string,
): Promise<Planned | { faults: Fault[] }> {
  const files = await filesIn(repository, { path, commit, endings, most })
  await expectQuick(organizationId, files)
  const read = await readProjectFiles(inTurns(files), { project })
  // Without this, files that were moved away would be a wish to remove all there is.
  if (read.written.length === 0 && read.faults.length === 0) {
    throw new CannotBeWatched(`No file in ${path || 'the repository'} has a document of a project.`)
  }
  return makePlan(client, read, { project, prune, withoutSecrets: true })
}

/** Reading YAML takes as long as its writer likes: that is found out beside the thread that answers everybody. */
async function expectQuick(organizationId: string, files: readonly RepositoryFile[]): Promise<void> {
  const module = new URL('../source-text/cost.ts', import.meta.url)
  let leftMs = readingMs
  for (const { path, content } of files) {
    const input = { text: textOf(content) }
    const cost = await answered(organizationId, async () => ask<ReturnType<typeof work>>(module, input), {
      isOwn: true,
    })
    const trouble = 'trouble' in cost ? cost.trouble : 'trouble' in cost.result ? cost.result.trouble : undefined
    if (trouble !== undefined) throw new TooMuchToRead(`${path} takes too long to read: ${trouble}.`)
    if ('result' in cost && 'ms' in cost.result) leftMs -= cost.result.ms
    if (leftMs < 0) throw new TooMuchToRead(`The files take more than ${readingMs / 1_000} s to read.`)
  }
}

/** Others are answered between two files. */
async function* inTurns(files: readonly RepositoryFile[]) {
  for (const { path: file, content: bytes } of files) {
    await turn()
    yield { file, bytes }
  }
}

import type { CodeSourceAuth, CreateCodeSource } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { referenceNotFound } from '../../platform/http/references.ts'
import { noApp } from '../adapter/errors.ts'
import { readRepositoryUrl } from '../adapter/repository-url.ts'
import { isClaimed } from '../githosta-installations/store.ts'
import { findGithostbConnection } from '../githostb-connections/store.ts'
import { withApiErrors } from './api-errors.ts'
import { type OpenParts, openRepository } from './open.ts'
import type { RepositoryFacts } from './store.ts'
import type { CodeSourceRow } from './tables.ts'

/** Repository that can be connected, with its metadata. */
export type Connectable = Pick<CodeSourceRow, 'type' | 'repoUrl' | 'auth'> & RepositoryFacts

/** Validates a request to connect a repository and reads its metadata from the host. */
export async function readConnectable(
  db: Db,
  parts: OpenParts,
  organizationId: string,
  data: CreateCodeSource,
): Promise<Connectable> {
  const { type } = data
  const repository = readRepositoryUrl(parts.hosts.names, type, data.repoUrl)
  const faults = authFaults(data)
  if ('expected' in repository) throw bodyInvalid([`$.data.repoUrl: expected ${repository.expected}`, ...faults])
  if (faults.length > 0) throw bodyInvalid(faults)
  const auth = authOf(data)
  const subject = { name: repository.repoName, url: repository.repoUrl }
  await withApiErrors(subject, () => requireAccess(db, parts, organizationId, auth, repository.repoUrl))
  const wish = { type, ...repository, auth }
  const source = { ...wish, organizationId, gitRepositoryId: null }
  return withApiErrors(subject, async () => {
    const { defaultBranch = null, ...facts } = await (await openRepository(db, parts, source)).read()
    return { ...wish, ...facts, defaultBranch }
  })
}

/** Returns what is wrong with the access settings for this type of host. */
function authFaults({ type, githostaInstallationId, githostbConnectionId, auth }: CreateCodeSource): string[] {
  const isPublic = auth?.kind === 'none'
  const unexpected = (name: string, value: unknown, why: string) =>
    value === undefined ? [] : [`$.data.${name}: not allowed for ${why}`]
  if (isPublic) {
    const why = 'a public repository that is read without credentials'
    return [
      ...unexpected('githostaInstallationId', githostaInstallationId, why),
      ...unexpected('githostbConnectionId', githostbConnectionId, why),
    ]
  }
  if (type !== 'GITHOSTA') return unexpected('githostaInstallationId', githostaInstallationId, type)
  return [
    ...(githostaInstallationId === undefined ? ['$.data.githostaInstallationId: required, but missing'] : []),
    ...unexpected('githostbConnectionId', githostbConnectionId, type),
  ]
}

function authOf({ githostaInstallationId, githostbConnectionId }: CreateCodeSource): CodeSourceAuth {
  if (githostaInstallationId !== undefined) return { kind: 'installation', githostaInstallationId }
  if (githostbConnectionId !== undefined) return { kind: 'connection', githostbConnectionId }
  return { kind: 'none' }
}

/** Rejects access that the organization does not have or that belongs to another host. */
async function requireAccess(
  db: Db,
  { hosts }: OpenParts,
  organizationId: string,
  auth: CodeSourceAuth,
  repoUrl: string,
): Promise<void> {
  if (auth.kind === 'installation') {
    if (!hosts.a.app) throw noApp()
    const { githostaInstallationId: id } = auth
    if (await isClaimed(db, organizationId, id)) return
    throw new ApiError(
      'installationNotClaimed',
      `No member of this organization has claimed the installation ${id}: start with POST /githosta-installations/claim.`,
    )
  }
  if (auth.kind !== 'connection') return
  const connection = await findGithostbConnection(db, organizationId, auth.githostbConnectionId)
  if (!connection) throw referenceNotFound('githostbConnectionId', 'connection', auth.githostbConnectionId)
  const { host } = new URL(repoUrl)
  if (new URL(connection.baseUrl).host === host) return
  throw bodyInvalid([`$.data.githostbConnectionId: expected a connection to ${host}, not to ${connection.baseUrl}`])
}

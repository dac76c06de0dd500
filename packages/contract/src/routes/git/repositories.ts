import { Type } from 'typebox'
import {
  GitRef,
  gitRefTypes,
  Repositories,
  RepositoryCommits,
  RepositoryContent,
  RepositoryPath,
  RepositoryRefs,
} from '../../git/repository.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import { pageParams } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

const search = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Filters by a part of the name, case-insensitive.',
  }),
)

/** Errors of requests to a git host. */
const hostErrors = ['repositoryUnreadable', 'gitHostNotConfigured', 'gitHostUnreachable', 'gitHostRateLimited'] as const

/** Data of git hosts for forms and release notes. It is read from the git host and not stored. */
export const repositoryRoutes = {
  // Only users who can connect repositories see all of them; others see connected ones.
  listInstallationRepositories: {
    operationId: 'listInstallationRepositories',
    method: 'GET',
    path: '/githosta-installations/{id}/repositories',
    tag: 'Git',
    summary: 'List the repositories visible to an installation of the app',
    permission: 'code-sources:write',
    params: IdParams,
    query: Type.Object({ ...pageParams, search }, closed),
    response: [200, Repositories],
    errors: ['githostaInstallationNotFound', 'cursorInvalid', ...hostErrors],
  },
  listConnectionRepositories: {
    operationId: 'listConnectionRepositories',
    method: 'GET',
    path: '/githostb-connections/{id}/repositories',
    tag: 'Git',
    summary: 'List the repositories visible to a connection to the second git host',
    permission: 'code-sources:write',
    params: IdParams,
    query: Type.Object({ ...pageParams, search }, closed),
    response: [200, Repositories],
    errors: ['githostbConnectionNotFound', 'cursorInvalid', ...hostErrors],
  },
  listRepositoryRefs: {
    operationId: 'listRepositoryRefs',
    method: 'GET',
    path: '/code-sources/{id}/refs',
    tag: 'Git',
    summary: 'List the branches or tags of a connected repository',
    permission: 'code-sources:read',
    params: IdParams,
    query: Type.Object(
      { ...pageParams, type: Type.Enum(gitRefTypes, { default: 'BRANCH', description: 'Type of the refs.' }), search },
      closed,
    ),
    response: [200, RepositoryRefs],
    errors: ['codeSourceNotFound', 'cursorInvalid', ...hostErrors],
  },
  listRepositoryCommits: {
    operationId: 'listRepositoryCommits',
    method: 'GET',
    path: '/code-sources/{id}/commits',
    tag: 'Git',
    summary: 'List the commits between two refs of a connected repository',
    permission: 'code-sources:read',
    params: IdParams,
    query: Type.Object(
      {
        from: Type.Unsafe<string>({
          ...GitRef,
          description: 'Start ref, exclusive. Commits reachable from it are omitted.',
        }),
        to: Type.Unsafe<string>({ ...GitRef, description: 'End ref, inclusive.', examples: ['main'] }),
      },
      closed,
    ),
    response: [200, RepositoryCommits],
    errors: ['codeSourceNotFound', 'notInRepository', ...hostErrors],
  },
  getRepositoryContent: {
    operationId: 'getRepositoryContent',
    method: 'GET',
    path: '/code-sources/{id}/contents',
    tag: 'Git',
    summary: 'Get a file or a directory of a connected repository',
    // Requires permission to write pipelines, because pipelines can check out any connected repository. Viewers cannot
    // read code.
    permission: 'pipelines:write',
    params: IdParams,
    query: Type.Object(
      {
        path: Type.Optional(RepositoryPath),
        ref: Type.Optional(
          Type.Unsafe<string>({
            ...GitRef,
            description: 'Branch, tag or commit SHA. Defaults to the default branch.',
          }),
        ),
      },
      closed,
    ),
    response: [200, dataOf(RepositoryContent)],
    errors: ['codeSourceNotFound', 'notInRepository', 'repositoryFileTooLarge', ...hostErrors],
  },
} as const satisfies RouteTable

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
    description: 'Only those with this in their name, in upper or lower case.',
  }),
)

/** How a git host may fail whoever asks. */
const hostRefusals = [
  'repositoryUnreadable',
  'gitHostNotConfigured',
  'gitHostUnreachable',
  'gitHostRateLimited',
] as const

/** What git hosts have for forms and release notes. Nothing of it is kept here. */
export const repositoryRoutes = {
  // Which repositories there are is for whoever may connect them; the others see what was connected.
  listInstallationRepositories: {
    operationId: 'listInstallationRepositories',
    method: 'GET',
    path: '/githosta-installations/{id}/repositories',
    tag: 'Git',
    summary: 'List the repositories that an installation of our app sees',
    needs: 'code-sources:write',
    params: IdParams,
    query: Type.Object({ ...pageParams, search }, closed),
    reply: [200, Repositories],
    refuses: ['githostaInstallationNotFound', 'cursorInvalid', ...hostRefusals],
  },
  listConnectionRepositories: {
    operationId: 'listConnectionRepositories',
    method: 'GET',
    path: '/githostb-connections/{id}/repositories',
    tag: 'Git',
    summary: 'List the repositories that a connection to the second git host sees',
    needs: 'code-sources:write',
    params: IdParams,
    query: Type.Object({ ...pageParams, search }, closed),
    reply: [200, Repositories],
    refuses: ['githostbConnectionNotFound', 'cursorInvalid', ...hostRefusals],
  },
  listRepositoryRefs: {
    operationId: 'listRepositoryRefs',
    method: 'GET',
    path: '/code-sources/{id}/refs',
    tag: 'Git',
    summary: 'List the branches or the tags of a connected repository, with their commits',
    needs: 'code-sources:read',
    params: IdParams,
    query: Type.Object(
      { ...pageParams, type: Type.Enum(gitRefTypes, { default: 'BRANCH', description: 'Which of them.' }), search },
      closed,
    ),
    reply: [200, RepositoryRefs],
    refuses: ['codeSourceNotFound', 'cursorInvalid', ...hostRefusals],
  },
  listRepositoryCommits: {
    operationId: 'listRepositoryCommits',
    method: 'GET',
    path: '/code-sources/{id}/commits',
    tag: 'Git',
    summary: 'List the commits between two refs of a connected repository',
    needs: 'code-sources:read',
    params: IdParams,
    query: Type.Object(
      {
        from: Type.Unsafe<string>({ ...GitRef, description: 'Where they begin: what is in it is left out.' }),
        to: Type.Unsafe<string>({ ...GitRef, description: 'Where they end.', examples: ['main'] }),
      },
      closed,
    ),
    reply: [200, RepositoryCommits],
    refuses: ['codeSourceNotFound', 'notInRepository', ...hostRefusals],
  },
  getRepositoryContent: {
    operationId: 'getRepositoryContent',
    method: 'GET',
    path: '/code-sources/{id}/contents',
    tag: 'Git',
    summary: 'Get a file or a directory of a connected repository',
    // Whoever writes pipelines has any connected repository checked out; who only looks on reads no code.
    needs: 'pipelines:write',
    params: IdParams,
    query: Type.Object(
      {
        path: Type.Optional(RepositoryPath),
        ref: Type.Optional(
          Type.Unsafe<string>({
            ...GitRef,
            description: 'At which branch, tag or commit; without it, the default branch.',
          }),
        ),
      },
      closed,
    ),
    reply: [200, dataOf(RepositoryContent)],
    refuses: ['codeSourceNotFound', 'notInRepository', 'repositoryFileTooLarge', ...hostRefusals],
  },
} as const satisfies RouteTable

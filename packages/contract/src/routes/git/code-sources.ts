import { Type } from 'typebox'
import { Branch, CodeSource, CodeSourceType, CreateCodeSource } from '../../git/code-source.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

export const codeSourceRoutes = {
  createCodeSource: {
    operationId: 'createCodeSource',
    method: 'POST',
    path: '/code-sources',
    tag: 'CodeSources',
    summary: 'Connect a repository of a git host',
    permission: 'code-sources:write',
    body: dataOf(CreateCodeSource),
    response: [201, dataOf(CodeSource)],
    errors: [
      'codeSourceTaken',
      'referenceNotFound',
      'installationNotClaimed',
      'repositoryUnreadable',
      'gitHostNotConfigured',
      'gitHostUnreachable',
      'gitHostRateLimited',
    ],
  },
  listCodeSources: {
    operationId: 'listCodeSources',
    method: 'GET',
    path: '/code-sources',
    tag: 'CodeSources',
    summary: 'List connected repositories',
    permission: 'code-sources:read',
    query: Type.Object({ ...pageParams, type: Type.Optional(CodeSourceType) }, { additionalProperties: false }),
    response: [200, listOf(CodeSource)],
    errors: ['cursorInvalid'],
  },
  getCodeSource: {
    operationId: 'getCodeSource',
    method: 'GET',
    path: '/code-sources/{id}',
    tag: 'CodeSources',
    summary: 'Get a connected repository',
    permission: 'code-sources:read',
    params: IdParams,
    response: [200, dataOf(CodeSource)],
    errors: ['codeSourceNotFound'],
  },
  deleteCodeSource: {
    operationId: 'deleteCodeSource',
    method: 'DELETE',
    path: '/code-sources/{id}',
    tag: 'CodeSources',
    summary: 'Disconnect a repository',
    permission: 'code-sources:write',
    params: IdParams,
    response: noContent,
    errors: ['codeSourceNotFound'],
  },
  /** This path has the singular `code-source` by specification; all others have `code-sources`. */
  listBranches: {
    operationId: 'listBranches',
    method: 'GET',
    path: '/code-source/{id}/branches',
    tag: 'CodeSources',
    summary: 'List the branches of a connected repository',
    permission: 'code-sources:read',
    params: IdParams,
    response: [
      200,
      Type.Object(
        { data: Type.Array(Branch) },
        { additionalProperties: false, description: 'All branches of the repository.' },
      ),
    ],
    errors: [
      'codeSourceNotFound',
      'repositoryUnreadable',
      'gitHostNotConfigured',
      'gitHostUnreachable',
      'gitHostRateLimited',
    ],
  },
} as const satisfies RouteTable

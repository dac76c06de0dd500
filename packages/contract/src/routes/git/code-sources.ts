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
    needs: 'code-sources:write',
    body: dataOf(CreateCodeSource),
    reply: [201, dataOf(CodeSource)],
    refuses: [
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
    needs: 'code-sources:read',
    query: Type.Object({ ...pageParams, type: Type.Optional(CodeSourceType) }, { additionalProperties: false }),
    reply: [200, listOf(CodeSource)],
    refuses: ['cursorInvalid'],
  },
  getCodeSource: {
    operationId: 'getCodeSource',
    method: 'GET',
    path: '/code-sources/{id}',
    tag: 'CodeSources',
    summary: 'Get a connected repository',
    needs: 'code-sources:read',
    params: IdParams,
    reply: [200, dataOf(CodeSource)],
    refuses: ['codeSourceNotFound'],
  },
  deleteCodeSource: {
    operationId: 'deleteCodeSource',
    method: 'DELETE',
    path: '/code-sources/{id}',
    tag: 'CodeSources',
    summary: 'Disconnect a repository',
    needs: 'code-sources:write',
    params: IdParams,
    reply: noContent,
    refuses: ['codeSourceNotFound'],
  },
  /** This path has the singular `code-source` by specification; all others have `code-sources`. */
  listBranches: {
    operationId: 'listBranches',
    method: 'GET',
    path: '/code-source/{id}/branches',
    tag: 'CodeSources',
    summary: 'List the branches of a connected repository',
    needs: 'code-sources:read',
    params: IdParams,
    reply: [
      200,
      Type.Object(
        { data: Type.Array(Branch) },
        { additionalProperties: false, description: 'All branches of the repository.' },
      ),
    ],
    refuses: [
      'codeSourceNotFound',
      'repositoryUnreadable',
      'gitHostNotConfigured',
      'gitHostUnreachable',
      'gitHostRateLimited',
    ],
  },
} as const satisfies RouteTable

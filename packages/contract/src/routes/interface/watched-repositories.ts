import { Type } from 'typebox'
import {
  ApplyWatchedRepository,
  CreateWatchedRepository,
  UpdateWatchedRepository,
  WatchedRepository,
  WatchedRepositoryPlan,
} from '../../interface/watched-repository.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const filters = { projectId: Type.Optional(Id), codeSourceId: Type.Optional(Id) }

/**
 * Naming a service account requires the permission to create its keys, because the files can do everything that the
 * service account can.
 */
export const watchedRepositoryRoutes = {
  createWatchedRepository: {
    operationId: 'createWatchedRepository',
    method: 'POST',
    path: '/watched-repositories',
    tag: 'Projects',
    summary: 'Watch a repository and apply its files to a project',
    needs: 'api-keys:write',
    body: dataOf(CreateWatchedRepository),
    reply: [201, dataOf(WatchedRepository)],
    refuses: ['referenceNotFound', 'watchedRepositoryTaken', 'watchedRepositoryInvalid'],
  },
  listWatchedRepositories: {
    operationId: 'listWatchedRepositories',
    method: 'GET',
    path: '/watched-repositories',
    tag: 'Projects',
    summary: 'List watched repositories with their status',
    needs: 'projects:read',
    query: Type.Object({ ...pageParams, ...filters }, { additionalProperties: false }),
    reply: [200, listOf(WatchedRepository)],
    refuses: ['cursorInvalid'],
  },
  getWatchedRepository: {
    operationId: 'getWatchedRepository',
    method: 'GET',
    path: '/watched-repositories/{id}',
    tag: 'Projects',
    summary: 'Get a watched repository',
    needs: 'projects:read',
    params: IdParams,
    reply: [200, dataOf(WatchedRepository)],
    refuses: ['watchedRepositoryNotFound'],
  },
  getWatchedRepositoryPlan: {
    operationId: 'getWatchedRepositoryPlan',
    method: 'GET',
    path: '/watched-repositories/{id}/plan',
    tag: 'Projects',
    summary: 'Get the plan of a watched repository',
    needs: 'projects:read',
    params: IdParams,
    reply: [200, dataOf(WatchedRepositoryPlan)],
    refuses: ['watchedRepositoryNotFound'],
  },
  updateWatchedRepository: {
    operationId: 'updateWatchedRepository',
    method: 'PATCH',
    path: '/watched-repositories/{id}',
    tag: 'Projects',
    summary: 'Update a watched repository',
    needs: 'api-keys:write',
    params: IdParams,
    body: dataOf(UpdateWatchedRepository),
    reply: [200, dataOf(WatchedRepository)],
    refuses: ['watchedRepositoryNotFound', 'referenceNotFound', 'watchedRepositoryInvalid'],
  },
  deleteWatchedRepository: {
    operationId: 'deleteWatchedRepository',
    method: 'DELETE',
    path: '/watched-repositories/{id}',
    tag: 'Projects',
    summary: 'Stop watching a repository; the project stays unchanged',
    needs: 'projects:write',
    on: { params: { id: 'watched-repositories' } },
    params: IdParams,
    reply: noContent,
    refuses: ['watchedRepositoryNotFound'],
  },
  applyWatchedRepository: {
    operationId: 'applyWatchedRepository',
    method: 'POST',
    path: '/watched-repositories/{id}/apply',
    tag: 'Projects',
    summary: 'Approve and apply the plan of a watched repository',
    needs: 'approvals:write',
    on: { params: { id: 'watched-repositories' } },
    params: IdParams,
    body: dataOf(ApplyWatchedRepository),
    reply: [200, dataOf(WatchedRepository)],
    refuses: ['watchedRepositoryNotFound', 'watchedPlanChanged'],
  },
  checkWatchedRepository: {
    operationId: 'checkWatchedRepository',
    method: 'POST',
    path: '/watched-repositories/{id}/check',
    tag: 'Projects',
    summary: 'Check and plan the files of a watched repository now',
    needs: 'approvals:write',
    on: { params: { id: 'watched-repositories' } },
    params: IdParams,
    reply: [200, dataOf(WatchedRepository)],
    refuses: ['watchedRepositoryNotFound'],
  },
} as const satisfies RouteTable

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
    permission: 'api-keys:write',
    body: dataOf(CreateWatchedRepository),
    response: [201, dataOf(WatchedRepository)],
    errors: ['referenceNotFound', 'watchedRepositoryTaken', 'watchedRepositoryInvalid'],
  },
  listWatchedRepositories: {
    operationId: 'listWatchedRepositories',
    method: 'GET',
    path: '/watched-repositories',
    tag: 'Projects',
    summary: 'List watched repositories with their status',
    permission: 'projects:read',
    query: Type.Object({ ...pageParams, ...filters }, { additionalProperties: false }),
    response: [200, listOf(WatchedRepository)],
    errors: ['cursorInvalid'],
  },
  getWatchedRepository: {
    operationId: 'getWatchedRepository',
    method: 'GET',
    path: '/watched-repositories/{id}',
    tag: 'Projects',
    summary: 'Get a watched repository',
    permission: 'projects:read',
    params: IdParams,
    response: [200, dataOf(WatchedRepository)],
    errors: ['watchedRepositoryNotFound'],
  },
  getWatchedRepositoryPlan: {
    operationId: 'getWatchedRepositoryPlan',
    method: 'GET',
    path: '/watched-repositories/{id}/plan',
    tag: 'Projects',
    summary: 'Get the plan of a watched repository',
    permission: 'projects:read',
    params: IdParams,
    response: [200, dataOf(WatchedRepositoryPlan)],
    errors: ['watchedRepositoryNotFound'],
  },
  updateWatchedRepository: {
    operationId: 'updateWatchedRepository',
    method: 'PATCH',
    path: '/watched-repositories/{id}',
    tag: 'Projects',
    summary: 'Update a watched repository',
    permission: 'api-keys:write',
    params: IdParams,
    body: dataOf(UpdateWatchedRepository),
    response: [200, dataOf(WatchedRepository)],
    errors: ['watchedRepositoryNotFound', 'referenceNotFound', 'watchedRepositoryInvalid'],
  },
  deleteWatchedRepository: {
    operationId: 'deleteWatchedRepository',
    method: 'DELETE',
    path: '/watched-repositories/{id}',
    tag: 'Projects',
    summary: 'Stop watching a repository; the project stays unchanged',
    permission: 'projects:write',
    on: { params: { id: 'watched-repositories' } },
    params: IdParams,
    response: noContent,
    errors: ['watchedRepositoryNotFound'],
  },
  applyWatchedRepository: {
    operationId: 'applyWatchedRepository',
    method: 'POST',
    path: '/watched-repositories/{id}/apply',
    tag: 'Projects',
    summary: 'Approve and apply the plan of a watched repository',
    permission: 'approvals:write',
    on: { params: { id: 'watched-repositories' } },
    params: IdParams,
    body: dataOf(ApplyWatchedRepository),
    response: [200, dataOf(WatchedRepository)],
    errors: ['watchedRepositoryNotFound', 'watchedPlanChanged'],
  },
  checkWatchedRepository: {
    operationId: 'checkWatchedRepository',
    method: 'POST',
    path: '/watched-repositories/{id}/check',
    tag: 'Projects',
    summary: 'Check and plan the files of a watched repository now',
    permission: 'approvals:write',
    on: { params: { id: 'watched-repositories' } },
    params: IdParams,
    response: [200, dataOf(WatchedRepository)],
    errors: ['watchedRepositoryNotFound'],
  },
} as const satisfies RouteTable

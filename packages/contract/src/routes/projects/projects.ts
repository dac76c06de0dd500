import { CreateProject, Project, UpdateProject } from '../../projects/project.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import { listOf, PageQuery } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

export const projectRoutes = {
  createProject: {
    operationId: 'createProject',
    method: 'POST',
    path: '/projects',
    tag: 'Projects',
    summary: 'Create a project',
    permission: 'projects:write',
    body: dataOf(CreateProject),
    response: [201, dataOf(Project)],
    errors: ['projectGivenIdTaken'],
  },
  listProjects: {
    operationId: 'listProjects',
    method: 'GET',
    path: '/projects',
    tag: 'Projects',
    summary: 'List projects',
    permission: 'projects:read',
    query: PageQuery,
    response: [200, listOf(Project)],
    errors: ['cursorInvalid'],
  },
  getProject: {
    operationId: 'getProject',
    method: 'GET',
    path: '/projects/{id}',
    tag: 'Projects',
    summary: 'Get a project',
    permission: 'projects:read',
    params: IdParams,
    response: [200, dataOf(Project)],
    errors: ['projectNotFound'],
  },
  updateProject: {
    operationId: 'updateProject',
    method: 'PATCH',
    path: '/projects/{id}',
    tag: 'Projects',
    summary: 'Update a project',
    permission: 'projects:write',
    on: { params: { id: 'projects' } },
    params: IdParams,
    body: dataOf(UpdateProject),
    response: [200, dataOf(Project)],
    errors: ['projectNotFound', 'projectGivenIdTaken'],
  },
  deleteProject: {
    operationId: 'deleteProject',
    method: 'DELETE',
    path: '/projects/{id}',
    tag: 'Projects',
    summary: 'Delete a project and its default values',
    permission: 'projects:write',
    on: { params: { id: 'projects' } },
    params: IdParams,
    response: noContent,
    errors: ['projectNotFound', 'projectInUse'],
  },
} as const satisfies RouteTable

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
    needs: 'projects:write',
    body: dataOf(CreateProject),
    reply: [201, dataOf(Project)],
    refuses: ['projectGivenIdTaken'],
  },
  listProjects: {
    operationId: 'listProjects',
    method: 'GET',
    path: '/projects',
    tag: 'Projects',
    summary: 'List projects',
    needs: 'projects:read',
    query: PageQuery,
    reply: [200, listOf(Project)],
    refuses: ['cursorInvalid'],
  },
  getProject: {
    operationId: 'getProject',
    method: 'GET',
    path: '/projects/{id}',
    tag: 'Projects',
    summary: 'Get a project',
    needs: 'projects:read',
    params: IdParams,
    reply: [200, dataOf(Project)],
    refuses: ['projectNotFound'],
  },
  updateProject: {
    operationId: 'updateProject',
    method: 'PATCH',
    path: '/projects/{id}',
    tag: 'Projects',
    summary: 'Update a project',
    needs: 'projects:write',
    on: { params: { id: 'projects' } },
    params: IdParams,
    body: dataOf(UpdateProject),
    reply: [200, dataOf(Project)],
    refuses: ['projectNotFound', 'projectGivenIdTaken'],
  },
  deleteProject: {
    operationId: 'deleteProject',
    method: 'DELETE',
    path: '/projects/{id}',
    tag: 'Projects',
    summary: 'Delete a project and its default values',
    needs: 'projects:write',
    on: { params: { id: 'projects' } },
    params: IdParams,
    reply: noContent,
    refuses: ['projectNotFound', 'projectInUse'],
  },
} as const satisfies RouteTable

import { Type } from 'typebox'
import { CreateRoleGrant, EffectivePermissions, RoleGrant } from '../../projects/role-grant.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

const named = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 100, description }))

const PermissionsAbout = {
  projectId: Type.Optional(Id),
  environmentId: Type.Optional(Id),
  pipelineRunId: named('The run: where it is. Without the fields above.'),
  stepExecutionId: named('The step that waits: in every place in which a decision lets steps act. Alone.'),
}

export const roleGrantRoutes = {
  createRoleGrant: {
    operationId: 'createRoleGrant',
    method: 'POST',
    path: '/role-grants',
    tag: 'Memberships',
    summary: 'Give somebody a role on a project or an environment',
    needs: 'role-grants:write',
    body: dataOf(CreateRoleGrant),
    reply: [201, dataOf(RoleGrant)],
    refuses: ['referenceNotFound', 'roleGrantTaken'],
  },
  listRoleGrants: {
    operationId: 'listRoleGrants',
    method: 'GET',
    path: '/role-grants',
    tag: 'Memberships',
    summary: 'List who has which role on which project or environment',
    needs: 'role-grants:read',
    query: Type.Object(
      {
        ...pageParams,
        principalId: Type.Optional(Id),
        projectId: Type.Optional(Id),
        environmentId: Type.Optional(Id),
      },
      closed,
    ),
    reply: [200, listOf(RoleGrant)],
    refuses: ['cursorInvalid'],
  },
  getRoleGrant: {
    operationId: 'getRoleGrant',
    method: 'GET',
    path: '/role-grants/{id}',
    tag: 'Memberships',
    summary: 'Get a role that somebody has on a project or an environment',
    needs: 'role-grants:read',
    params: IdParams,
    reply: [200, dataOf(RoleGrant)],
    refuses: ['roleGrantNotFound'],
  },
  deleteRoleGrant: {
    operationId: 'deleteRoleGrant',
    method: 'DELETE',
    path: '/role-grants/{id}',
    tag: 'Memberships',
    summary: 'Take a role on a project or an environment away, at once',
    needs: 'role-grants:write',
    params: IdParams,
    reply: noContent,
    refuses: ['roleGrantNotFound'],
  },
  getPermissions: {
    operationId: 'getPermissions',
    method: 'GET',
    path: '/permissions',
    tag: 'Auth',
    summary: 'What the caller may do in the organization, in a project or an environment, or about a run or a step',
    needs: 'caller',
    query: Type.Object(PermissionsAbout, closed),
    reply: [200, dataOf(EffectivePermissions)],
    refuses: ['projectNotFound', 'environmentNotFound', 'pipelineRunNotFound', 'pipelineStepExecutionNotFound'],
  },
} as const satisfies RouteTable

import { Type } from 'typebox'
import { IacState, IacStateVersion } from '../../stacks/iac-state-version.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

export const iacStateRoutes = {
  listIacStateVersions: {
    operationId: 'listIacStateVersions',
    method: 'GET',
    path: '/stack-workspaces/{id}/states',
    tag: 'StackWorkspaces',
    summary: 'List the current and earlier states of a workspace',
    permission: 'stacks:read',
    params: IdParams,
    query: Type.Object(pageParams, { additionalProperties: false }),
    response: [200, listOf(IacStateVersion)],
    errors: ['stackWorkspaceNotFound', 'cursorInvalid'],
  },
  downloadIacState: {
    operationId: 'downloadIacState',
    method: 'GET',
    path: '/iac-state-versions/{id}/download',
    tag: 'StackWorkspaces',
    summary: 'Download a state, including its secrets',
    permission: 'iac-states:read',
    on: { params: { id: 'iac-state-versions' } },
    params: IdParams,
    response: [200, IacState],
    errors: ['iacStateVersionNotFound', 'iacStateUnreadable'],
  },
  restoreIacState: {
    operationId: 'restoreIacState',
    method: 'POST',
    path: '/iac-state-versions/{id}/restore',
    tag: 'StackWorkspaces',
    summary: 'Restore an earlier state',
    permission: 'iac-states:write',
    on: { params: { id: 'iac-state-versions' } },
    params: IdParams,
    response: [201, dataOf(IacStateVersion)],
    errors: ['iacStateVersionNotFound', 'iacStateUnreadable', 'stackWorkspaceLocked'],
  },
  breakStateLock: {
    operationId: 'breakStateLock',
    method: 'DELETE',
    path: '/stack-workspaces/{id}/lock',
    tag: 'StackWorkspaces',
    summary: 'Force-unlock a state',
    permission: 'iac-states:write',
    on: { params: { id: 'stack-workspaces' } },
    params: IdParams,
    response: noContent,
    errors: ['stackWorkspaceNotFound', 'stackWorkspaceNotLocked'],
  },
} as const satisfies RouteTable

import { dataOf } from '../envelope.ts'
import { IdParams } from '../ids.ts'
import { Organization, UpdateOrganization } from '../organization.ts'
import type { RouteTable } from './route.ts'

export const organizationRoutes = {
  getOrganization: {
    operationId: 'getOrganization',
    method: 'GET',
    path: '/organizations/{id}',
    tag: 'Organizations',
    summary: 'Get the organization',
    needs: 'organizations:read',
    params: IdParams,
    reply: [200, dataOf(Organization)],
    refuses: ['organizationNotFound'],
  },
  updateOrganization: {
    operationId: 'updateOrganization',
    method: 'PATCH',
    path: '/organizations/{id}',
    tag: 'Organizations',
    summary: 'Rename the organization',
    needs: 'organizations:write',
    params: IdParams,
    body: dataOf(UpdateOrganization),
    reply: [200, dataOf(Organization)],
    refuses: ['organizationNotFound'],
  },
} as const satisfies RouteTable

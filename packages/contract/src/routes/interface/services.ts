import { Type } from 'typebox'
import { ServiceList, ServiceState, ServiceStates, serviceOrders, serviceStates } from '../../interface/service.ts'
import { GivenId, Id } from '../../values/ids.ts'
import { includeOf } from '../../values/include.ts'
import { pageParams } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))

export const serviceRoutes = {
  listServices: {
    operationId: 'listServices',
    method: 'GET',
    path: '/services',
    tag: 'ModuleInstances',
    summary: 'List the services of a project with their state in each environment',
    permission: 'deployments:read',
    query: Type.Object(
      {
        ...pageParams,
        projectId: Id,
        givenId: Type.Optional({ ...GivenId, description: 'Filters by exact `givenId`.' }),
        search: text('Filters by a part of the name or `givenId`.'),
        type: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
            maxItems: 50,
            description: 'Filters by module type. Repeat the parameter for several types.',
          }),
        ),
        state: Type.Optional(
          Type.Array(ServiceState, {
            maxItems: serviceStates.length,
            description: 'Filters by state in at least one environment. Repeat the parameter for several states.',
          }),
        ),
        releasedBy: text(
          'Filters by a part of the name of the user who requested the running release or the one in progress.',
        ),
        sort: Type.Optional(
          Type.Enum(serviceOrders, {
            description:
              'Order of the services. GIVEN_ID: by `givenId`, which is the default. PROBLEMS: services with a failure in any environment first, then those with a paused release, then the others, each by `givenId`.',
          }),
        ),
        ...includeOf('promotionCandidates'),
      },
      { additionalProperties: false },
    ),
    response: [200, ServiceList],
    errors: ['cursorInvalid'],
  },
  listServiceStates: {
    operationId: 'listServiceStates',
    method: 'GET',
    path: '/service-states',
    tag: 'ModuleInstances',
    summary: 'Get the running release, the release in progress and the last failure of several module instances',
    permission: 'deployments:read',
    query: Type.Object(
      {
        ids: Type.Array(Id, {
          minItems: 1,
          maxItems: 60,
          description:
            'IDs of module instances. Repeat the parameter for several. Unknown and destroyed ones are ignored.',
        }),
      },
      { additionalProperties: false },
    ),
    response: [200, ServiceStates],
    errors: [],
  },
} as const satisfies RouteTable

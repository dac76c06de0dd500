import { Type } from 'typebox'
import { ServiceList, ServiceState, serviceStates } from '../../interface/service.ts'
import { Id } from '../../values/ids.ts'
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
    summary: 'What runs where: the services of a project with what stands of each in its environments',
    needs: 'deployments:read',
    query: Type.Object(
      {
        ...pageParams,
        projectId: Id,
        search: text('Only those whose name or givenId has this text in it.'),
        type: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
            maxItems: 50,
            description: 'Only those of modules of one of these types; repeat the parameter.',
          }),
        ),
        state: Type.Optional(
          Type.Array(ServiceState, {
            maxItems: serviceStates.length,
            description: 'Only those with one of these states somewhere; repeat the parameter.',
          }),
        ),
        releasedBy: text('Only those where what runs or is under way was asked for by somebody with this in the name.'),
        ...includeOf('onward'),
      },
      { additionalProperties: false },
    ),
    reply: [200, ServiceList],
    refuses: ['cursorInvalid'],
  },
} as const satisfies RouteTable

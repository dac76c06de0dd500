import { Type } from 'typebox'
import { SearchResult, SearchType, searchTypes } from '../../interface/search-result.ts'
import type { RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

export const searchRoutes = {
  search: {
    operationId: 'search',
    method: 'GET',
    path: '/search',
    tag: 'Organizations',
    summary: 'Search services, deployments, pipelines, runs, resources, projects, environments and members',
    permission: 'deployments:read',
    query: Type.Object(
      {
        q: Type.String({
          minLength: 1,
          maxLength: 200,
          description:
            'Search words in any order and case; all must match, such as `web production 2.1.0`. For deployments and runs, each word matches the start of a word in the names at the time. For other types, it matches a part of the name or ARN. An ID is accepted too.',
          examples: ['web production'],
        }),
        type: Type.Optional(
          Type.Array(SearchType, {
            maxItems: searchTypes.length,
            description: 'Filters by type. Repeat the parameter for several types.',
          }),
        ),
        limit: Type.Integer({
          minimum: 1,
          maximum: 20,
          default: 5,
          description: 'Maximum number of results per type.',
        }),
      },
      closed,
    ),
    response: [
      200,
      Type.Object(
        { data: Type.Array(SearchResult) },
        { ...closed, description: 'Search results by type, best match first.' },
      ),
    ],
    errors: [],
  },
} as const satisfies RouteTable

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
    summary: 'Find services, deployments, pipelines, runs, resources, places and people',
    needs: 'deployments:read',
    query: Type.Object(
      {
        q: Type.String({
          minLength: 1,
          maxLength: 200,
          description:
            'Words, in any order and any case, all of which are met: `web production 2.1.0`. Of deployments and runs each is the beginning of a word, as things were called when they began; of all else, a part of the name or the ARN. Or an id.',
          examples: ['web production'],
        }),
        type: Type.Optional(
          Type.Array(SearchType, {
            maxItems: searchTypes.length,
            description: 'Only these types; repeat the parameter.',
          }),
        ),
        limit: Type.Integer({ minimum: 1, maximum: 20, default: 5, description: 'How many of each type, at most.' }),
      },
      closed,
    ),
    reply: [
      200,
      Type.Object(
        { data: Type.Array(SearchResult) },
        { ...closed, description: 'What was found, type by type, best first.' },
      ),
    ],
    refuses: [],
  },
} as const satisfies RouteTable

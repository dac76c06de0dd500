import { Type } from 'typebox'
import { RecordDescription } from '../../interface/record-description.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

export const describeRoutes = {
  describe: {
    operationId: 'describe',
    method: 'GET',
    path: '/describe',
    tag: 'Describe',
    summary: 'Describe the resource with an ID or ARN, and its related resources',
    permission: 'deployments:read',
    query: Type.Object(
      {
        id: Type.String({
          minLength: 1,
          maxLength: 500,
          description: 'ID of a resource, ARN of a cloud resource, or email address of a member.',
          examples: ['arn:aws:ecs:eu-west-1:111122223333:service/shop/web'],
        }),
      },
      { additionalProperties: false },
    ),
    response: [200, dataOf(RecordDescription)],
    errors: ['nothingDescribed'],
  },
} as const satisfies RouteTable

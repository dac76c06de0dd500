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
    summary: "Say what an id or a cloud's ARN stands for, and what belongs to it",
    needs: 'deployments:read',
    query: Type.Object(
      {
        id: Type.String({
          minLength: 1,
          maxLength: 500,
          description: "An id, an ARN of the cloud, or a member's address.",
          examples: ['arn:aws:ecs:eu-west-1:111122223333:service/shop/web'],
        }),
      },
      { additionalProperties: false },
    ),
    reply: [200, dataOf(RecordDescription)],
    refuses: ['nothingDescribed'],
  },
} as const satisfies RouteTable

import { type Static, Type } from 'typebox'
import { closed, withDefault } from './description.ts'

/**
 * Queue settings for deployments of an instance. Templates are not allowed, because the block is read before rendering.
 */
export const Concurrency = Type.Object(
  {
    queue_size: withDefault(
      Type.Integer({ minimum: 0, maximum: 1_000, description: 'Maximum number of waiting deployments.' }),
      1,
    ),
    queue_overflow: withDefault(
      Type.Enum(['oldest', 'newest', 'reject'], {
        description:
          'Deployment to drop if the queue is full: the oldest, the newest waiting one, or the new one (reject).',
      }),
      'oldest',
    ),
  },
  { ...closed, description: 'Concurrency of deployments. An instance runs one deployment at a time; others wait.' },
)
export type Concurrency = Static<typeof Concurrency>

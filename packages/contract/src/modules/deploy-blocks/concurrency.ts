import { type Static, Type } from 'typebox'
import { closed, otherwise } from './description.ts'

/** How a module lets the deployments of an instance wait. Literal: it is read before anything is rendered. */
export const Concurrency = Type.Object(
  {
    queue_size: otherwise(Type.Integer({ minimum: 0, maximum: 1_000, description: 'How many may wait.' }), 1),
    queue_overflow: otherwise(
      Type.Enum(['oldest', 'newest', 'reject'], { description: 'Which gives way when one more comes.' }),
      'oldest',
    ),
  },
  { ...closed, description: 'One deployment of an instance runs at a time; the others wait.' },
)
export type Concurrency = Static<typeof Concurrency>

import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

export const ServiceHealth = Type.Object(
  {
    moduleInstanceId: Id,
    tasksRunning: Type.Integer({ minimum: 0, description: 'Tasks that run now.' }),
    tasksStarting: Type.Integer({ minimum: 0, description: 'Tasks that are about to run.' }),
    tasksWanted: Type.Integer({ minimum: 0, description: 'How many should run.' }),
    observedAt: {
      ...UtcDateTime,
      description: 'When the cloud was asked. Who asks soon after gets the same answer.',
    },
  },
  { ...closed, description: 'How many tasks of a container service run, of how many that should.' },
)
export type ServiceHealth = Static<typeof ServiceHealth>

export const ServiceHealths = Type.Object(
  {
    data: Type.Array(ServiceHealth),
    errors: Type.Array(UserFacingError, { description: 'Why the cloud does not show the others, each reason once.' }),
  },
  {
    ...closed,
    description:
      'How services are now, as the cloud has it. What has no tasks that are counted is left out: functions, sites, groups of machines, and what was never released.',
  },
)
export type ServiceHealths = Static<typeof ServiceHealths>

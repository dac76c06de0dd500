import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

export const ServiceHealth = Type.Object(
  {
    moduleInstanceId: Id,
    runningTasks: Type.Integer({ minimum: 0, description: 'Number of running tasks.' }),
    startingTasks: Type.Integer({ minimum: 0, description: 'Number of tasks that are starting.' }),
    desiredTasks: Type.Integer({ minimum: 0, description: 'Number of tasks that should run.' }),
    version: Type.Optional(
      Type.String({ description: 'Version that runs, if Sluice has not released one to the service.' }),
    ),
    observedAt: {
      ...UtcDateTime,
      description: 'Time when the cloud was queried. Responses are cached for a short time.',
    },
  },
  {
    ...closed,
    description:
      'Number of running and requested tasks of a container service, which Sluice may not have released yet.',
  },
)
export type ServiceHealth = Static<typeof ServiceHealth>

export const ServiceHealths = Type.Object(
  {
    data: Type.Array(ServiceHealth),
    errors: Type.Array(UserFacingError, {
      description: 'Errors of the cloud that explain why services are missing. Each error is listed once.',
    }),
  },
  {
    ...closed,
    description:
      'Current health of container services. Functions, sites and groups of machines are omitted because they have no task counts.',
  },
)
export type ServiceHealths = Static<typeof ServiceHealths>

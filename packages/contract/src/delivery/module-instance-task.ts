import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const
const text = (description: string) => Type.Optional(Type.String({ description }))

/** Kinds of units that a module instance can run as. */
export const taskKinds = ['TASK', 'MACHINE', 'FUNCTION_VERSION', 'DIRECTORY'] as const

/** Health of a running unit as checked by the cloud. */
export const taskHealths = ['HEALTHY', 'UNHEALTHY', 'UNKNOWN'] as const

export const ModuleInstanceTask = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the task, machine, function version or directory in the cloud.' }),
    kind: Type.Enum(taskKinds, {
      description:
        'Kind of the unit: a container task, a machine of a group, a function version, or a directory that a site serves.',
    }),
    status: Type.String({ description: 'Lifecycle status as reported by the cloud.' }),
    isStopped: Type.Boolean({ description: 'Whether the task has stopped or is stopping.' }),
    health: Type.Enum(taskHealths, {
      description: 'Health from its own health check or that of its load balancer. UNKNOWN if nothing checks it yet.',
    }),
    zone: text('Availability zone.'),
    address: text('IP address.'),
    version: text('Release version that it runs.'),
    runs: text('Task definition or image that it runs.'),
    deploymentId: Type.Optional({
      ...Id,
      description: 'ID of the deployment that started it, if it was deployed by Sluice.',
    }),
    since: Type.Optional({ ...UtcDateTime, description: 'Time when it started.' }),
    until: Type.Optional({ ...UtcDateTime, description: 'Time when it stopped.' }),
    reason: text('Reason reported by the cloud for stopping or for being unhealthy.'),
    trafficPercent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: "Percentage of the alias's invocations that a function version receives.",
      }),
    ),
    aliases: Type.Optional(Type.Array(Type.String(), { description: 'Aliases that route to a function version.' })),
    hasLog: Type.Boolean({ description: 'Whether its own log can be read.' }),
  },
  { ...closed, description: 'Unit that a module instance runs as, or that stopped within the last hour.' },
)
export type ModuleInstanceTask = Static<typeof ModuleInstanceTask>

export const ModuleInstanceTasks = Type.Object(
  {
    data: Type.Array(ModuleInstanceTask),
    meta: Type.Object(
      {
        observedAt: {
          ...UtcDateTime,
          description: 'Time when the cloud was queried. Responses are cached for a short time.',
        },
        isComplete: Type.Boolean({
          description: 'Whether the list is complete. If there are many tasks, only the newest are returned.',
        }),
        error: Type.Optional(UserFacingError),
      },
      { ...closed, description: 'Metadata of the list. Contains an error if the cloud does not return what runs.' },
    ),
  },
  { ...closed, description: 'Running units of a module instance, then stopped ones, each newest first.' },
)
export type ModuleInstanceTasks = Static<typeof ModuleInstanceTasks>

export const ModuleInstanceTaskLog = Type.Object(
  {
    containers: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name of the container.' }),
          lines: Type.Array(
            Type.Object(
              { timestamp: UtcDateTime, message: Type.String({ description: 'Log message.' }) },
              { ...closed, description: 'Log line.' },
            ),
          ),
          missing: text('Reason why the lines cannot be read.'),
        },
        { ...closed, description: 'Last lines of a container, oldest first.' },
      ),
    ),
    error: Type.Optional(UserFacingError),
  },
  {
    ...closed,
    description: 'End of the log of one task, by container. Contains an error if the cloud does not return it.',
  },
)
export type ModuleInstanceTaskLog = Static<typeof ModuleInstanceTaskLog>

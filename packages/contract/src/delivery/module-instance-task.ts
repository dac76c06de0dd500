import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const
const text = (description: string) => Type.Optional(Type.String({ description }))

/** What an instance may run as. */
export const taskKinds = ['TASK', 'MACHINE', 'FUNCTION_VERSION', 'DIRECTORY'] as const

/** How well something that runs is, as far as its cloud checks it. */
export const taskHealths = ['HEALTHY', 'UNHEALTHY', 'UNKNOWN'] as const

export const ModuleInstanceTask = Type.Object(
  {
    id: Type.String({ description: "The cloud's id: of the task, of the machine, the version, the directory." }),
    kind: Type.Enum(taskKinds, {
      description: 'A container task, a machine of a group, a version of a function, or what a site serves.',
    }),
    status: Type.String({ description: "Where it is in its life, in the cloud's own word." }),
    isOver: Type.Boolean({ description: 'Whether it has stopped, or is about to.' }),
    health: Type.Enum(taskHealths, {
      description: 'By its own health check, or that of its load balancer; UNKNOWN where nothing checks it yet.',
    }),
    zone: text('The availability zone that it is in.'),
    address: text('Its address in the network.'),
    version: text('What it runs, in a word, as releases are called.'),
    runs: text('What it runs: the task definition, or the image.'),
    deploymentId: Type.Optional({ ...Id, description: 'The deployment that brought it, where that is one of Sluice.' }),
    since: Type.Optional({ ...UtcDateTime, description: 'When it started.' }),
    until: Type.Optional({ ...UtcDateTime, description: 'When it stopped.' }),
    reason: text('Why it stopped, or is not well, in the words of the cloud.'),
    trafficPercent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'Of a version: its share of the calls of the alias.' }),
    ),
    aliases: Type.Optional(Type.Array(Type.String(), { description: 'Of a version: the aliases that call it.' })),
    hasLog: Type.Boolean({ description: 'Whether its own log can be read.' }),
  },
  { ...closed, description: 'Something that an instance runs as, or did within the last hour.' },
)
export type ModuleInstanceTask = Static<typeof ModuleInstanceTask>

export const ModuleInstanceTasks = Type.Object(
  {
    data: Type.Array(ModuleInstanceTask),
    meta: Type.Object(
      {
        observedAt: {
          ...UtcDateTime,
          description: 'When the cloud was asked. Who asks soon after gets the same answer.',
        },
        isWhole: Type.Boolean({ description: 'Whether these are all; of many, only the newest are shown.' }),
        error: Type.Optional(UserFacingError),
      },
      { ...closed, description: 'How the list came about; with an error where the cloud does not show what runs.' },
    ),
  },
  { ...closed, description: 'What an instance runs as: what runs first, then what stopped, each newest first.' },
)
export type ModuleInstanceTasks = Static<typeof ModuleInstanceTasks>

export const ModuleInstanceTaskLog = Type.Object(
  {
    containers: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Of the container.' }),
          lines: Type.Array(
            Type.Object(
              { timestamp: UtcDateTime, message: Type.String({ description: 'What was written.' }) },
              { ...closed, description: 'A line.' },
            ),
          ),
          missing: text('Why there are no lines, where they cannot be read.'),
        },
        { ...closed, description: 'What a container wrote last, oldest line first.' },
      ),
    ),
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'The end of the log of one task, by container; or why the cloud does not show it.' },
)
export type ModuleInstanceTaskLog = Static<typeof ModuleInstanceTaskLog>

import { type Static, Type } from 'typebox'
import { Description, Name } from '../modules/naming.ts'
import { GivenId, Id, NewGivenId } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { CloudRegion } from './cloud-account.ts'
import { usualClusterName } from './execution-defaults.ts'

const closed = { additionalProperties: false } as const

const networkIds = (minItems: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems, maxItems: 16, description })

export const ExecutionNetwork = Type.Object(
  {
    subnetIds: networkIds(1, 'Subnets that runners are started in.'),
    securityGroupIds: networkIds(0, 'Security groups that runners get.'),
    assignPublicIp: Type.Optional(
      Type.Boolean({ description: 'For subnets that lead out by an internet gateway alone.', default: false }),
    ),
  },
  { ...closed, description: 'The network that runners are in. Without it none are started.' },
)
export type ExecutionNetwork = Static<typeof ExecutionNetwork>

export const ExecutionSize = Type.Object(
  {
    cpuUnits: Type.Integer({ minimum: 256, maximum: 16_384, description: '1024 are one processor.' }),
    memoryMiB: Type.Integer({ minimum: 512, maximum: 122_880 }),
  },
  { ...closed, description: 'What the runner of a step gets; the cloud knows some pairs, and the rest are refused.' },
)
export type ExecutionSize = Static<typeof ExecutionSize>

export const executionEnvironmentKinds = ['cloud', 'runners'] as const
export const ExecutionEnvironmentKind = Type.Enum(executionEnvironmentKinds, {
  description: 'A place in a cloud account, or a pool of machines of the organization that run `sluice runner`.',
})
export type ExecutionEnvironmentKind = Static<typeof ExecutionEnvironmentKind>

const ofCloud = {
  cloudAccountId: Type.Optional(Type.String({ ...Id, description: 'Of the kind `cloud`.' })),
  region: Type.Optional(CloudRegion),
  network: Type.Optional(ExecutionNetwork),
  size: Type.Optional(ExecutionSize),
  clusterName: Type.Optional(
    Type.String({
      pattern: '^[a-zA-Z0-9_-]{1,32}$',
      examples: [usualClusterName],
      description: `The cluster that runners are started in; roles and log group are named after it. Without, ${usualClusterName}.`,
    }),
  ),
}

export const ExecutionEnvironment = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    kind: ExecutionEnvironmentKind,
    givenId: GivenId,
    name: Name,
    description: Type.Optional(Description),
    ...ofCloud,
    isReady: Type.Boolean({
      description: "Whether steps run there. Those of one that is not ready run on the installation's own runners.",
    }),
    problem: Type.Optional(
      Type.String({ description: 'What the last check found in the way of its steps. One that was ready stays so.' }),
    ),
  },
  { ...closed, description: 'Where the programs of steps run: a pool of machines, or a place in a cloud account.' },
)
export type ExecutionEnvironment = Static<typeof ExecutionEnvironment>

const given = { givenId: NewGivenId, name: Name, description: Type.Optional(Description), ...ofCloud }

export const CreateExecutionEnvironment = Type.Object(
  {
    kind: Type.Optional(
      Type.Enum(executionEnvironmentKinds, {
        default: 'cloud',
        description: 'It stays so. `cloud` needs `cloudAccountId` and `region`; `runners` takes nothing of that.',
      }),
    ),
    ...given,
  },
  { ...closed, description: 'A new execution environment.' },
)
export type CreateExecutionEnvironment = Static<typeof CreateExecutionEnvironment>

export const UpdateExecutionEnvironment = Type.Partial(Type.Object(given), {
  ...closed,
  description: 'Changes to an execution environment; what is left out stays.',
})
export type UpdateExecutionEnvironment = Static<typeof UpdateExecutionEnvironment>

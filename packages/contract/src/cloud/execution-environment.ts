import { type Static, Type } from 'typebox'
import { Description, Name } from '../modules/naming.ts'
import { GivenId, Id, NewGivenId } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { CloudRegion } from './cloud-account.ts'
import { defaultClusterName } from './execution-defaults.ts'

const closed = { additionalProperties: false } as const

const networkIds = (minItems: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems, maxItems: 16, description })

export const ExecutionNetwork = Type.Object(
  {
    subnetIds: networkIds(1, 'IDs of the subnets in which runners start.'),
    securityGroupIds: networkIds(0, 'IDs of the security groups of runners.'),
    assignPublicIp: Type.Optional(
      Type.Boolean({
        description:
          'Whether runners get a public IP address. Required in subnets that reach the internet only through an internet gateway.',
        default: false,
      }),
    ),
  },
  { ...closed, description: 'Network of the runners. Without it, none are started.' },
)
export type ExecutionNetwork = Static<typeof ExecutionNetwork>

export const ExecutionSize = Type.Object(
  {
    cpuUnits: Type.Integer({ minimum: 256, maximum: 16_384, description: 'CPU units; 1024 are one vCPU.' }),
    memoryMiB: Type.Integer({ minimum: 512, maximum: 122_880 }),
  },
  {
    ...closed,
    description: "CPU and memory of a step's runner. The cloud accepts only certain combinations; others are rejected.",
  },
)
export type ExecutionSize = Static<typeof ExecutionSize>

export const executionEnvironmentKinds = ['cloud', 'runners'] as const
export const ExecutionEnvironmentKind = Type.Enum(executionEnvironmentKinds, {
  description:
    "Kind of the execution environment: `cloud` starts runners in a cloud account; `runners` is a pool of the organization's machines that run `sluice runner`.",
})
export type ExecutionEnvironmentKind = Static<typeof ExecutionEnvironmentKind>

const cloudFields = {
  cloudAccountId: Type.Optional(Type.String({ ...Id, description: 'ID of the cloud account, for the kind `cloud`.' })),
  region: Type.Optional(CloudRegion),
  network: Type.Optional(ExecutionNetwork),
  size: Type.Optional(ExecutionSize),
  clusterName: Type.Optional(
    Type.String({
      pattern: '^[a-zA-Z0-9_-]{1,32}$',
      examples: [defaultClusterName],
      description: `Name of the cluster in which runners start, and of its roles and log group. Defaults to ${defaultClusterName}.`,
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
    ...cloudFields,
    isReady: Type.Boolean({
      description:
        "Whether the environment is ready. Steps of an environment that is not ready run on the installation's own runners.",
    }),
    problem: Type.Optional(
      Type.String({ description: 'Problem found by the last check. An environment that was ready stays ready.' }),
    ),
  },
  { ...closed, description: 'Place where steps run: a pool of machines, or a cloud account.' },
)
export type ExecutionEnvironment = Static<typeof ExecutionEnvironment>

const given = { givenId: NewGivenId, name: Name, description: Type.Optional(Description), ...cloudFields }

export const CreateExecutionEnvironment = Type.Object(
  {
    kind: Type.Optional(
      Type.Enum(executionEnvironmentKinds, {
        default: 'cloud',
        description:
          'Kind of the execution environment, which cannot be changed. `cloud` requires `cloudAccountId` and `region`; `runners` does not use them.',
      }),
    ),
    ...given,
  },
  { ...closed, description: 'Fields of a new execution environment.' },
)
export type CreateExecutionEnvironment = Static<typeof CreateExecutionEnvironment>

export const UpdateExecutionEnvironment = Type.Partial(Type.Object(given), {
  ...closed,
  description: 'Fields of an execution environment to change. Absent fields stay unchanged.',
})
export type UpdateExecutionEnvironment = Static<typeof UpdateExecutionEnvironment>

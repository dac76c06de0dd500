import { type Static, Type } from 'typebox'
import { CloudRegion } from './cloud-account.ts'
import { GivenId, Id, NewGivenId } from './ids.ts'
import { Description, Name } from './naming.ts'
import { UtcDateTime } from './time.ts'

const closed = { additionalProperties: false } as const

const networkIds = (minItems: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems, maxItems: 16, description })

export const ExecutionNetwork = Type.Object(
  {
    subnetIds: networkIds(1, 'Subnets that runners are started in.'),
    securityGroupIds: networkIds(0, 'Security groups that runners get.'),
  },
  { ...closed, description: 'The network that runners are in; without, the default network of the region.' },
)
export type ExecutionNetwork = Static<typeof ExecutionNetwork>

export const ExecutionEnvironment = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    givenId: GivenId,
    name: Name,
    description: Type.Optional(Description),
    cloudAccountId: Id,
    region: CloudRegion,
    network: Type.Optional(ExecutionNetwork),
  },
  { ...closed, description: 'Where runners run: a cloud account, a region and a network in it.' },
)
export type ExecutionEnvironment = Static<typeof ExecutionEnvironment>

export const CreateExecutionEnvironment = Type.Object(
  {
    givenId: NewGivenId,
    name: Name,
    description: Type.Optional(Description),
    cloudAccountId: Id,
    region: CloudRegion,
    network: Type.Optional(ExecutionNetwork),
  },
  { ...closed, description: 'A new execution environment.' },
)
export type CreateExecutionEnvironment = Static<typeof CreateExecutionEnvironment>

export const UpdateExecutionEnvironment = Type.Partial(CreateExecutionEnvironment, {
  ...closed,
  description: 'Changes to an execution environment; what is left out stays.',
})
export type UpdateExecutionEnvironment = Static<typeof UpdateExecutionEnvironment>

import { type Static, Type } from 'typebox'
import { closed, otherwise, text } from './description.ts'

/** A whole number, which templates may bring as a text. */
const Whole = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]+$' })])

const ContainerOverride = Type.Object(
  {
    name: text('The container.'),
    command: Type.Optional(Type.Array(Type.String())),
    environment: Type.Optional(
      Type.Array(Type.Object({ name: text('Of the variable.'), value: Type.String() }, closed)),
    ),
    cpu: Type.Optional(Whole),
    memory: Type.Optional(Whole),
  },
  closed,
)

const Network = Type.Object(
  {
    subnets: Type.Array(text('A subnet.'), { minItems: 1 }),
    security_groups: Type.Optional(Type.Array(text('A security group.'))),
    assign_public_ip: Type.Optional(Type.Enum(['ENABLED', 'DISABLED'])),
  },
  closed,
)

const parts = {
  container_overrides: otherwise(Type.Array(ContainerOverride), []),
  cpu: Type.Optional(text('Of the whole task.')),
  memory: Type.Optional(text('Of the whole task.')),
  ephemeral_storage: Type.Optional(Type.Object({ size_in_gib: Type.Integer({ minimum: 20, maximum: 200 }) }, closed)),
  task_role_arn: Type.Optional(text('The role of the task.')),
  execution_role_arn: Type.Optional(text('The role that starts the task.')),
  capacity_provider_strategy: Type.Optional(
    Type.Array(
      Type.Object(
        {
          capacity_provider: text('The provider.'),
          weight: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
          base: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
        },
        closed,
      ),
    ),
  ),
  network_configuration: Type.Optional(
    Type.Union([Network, Type.Object({ awsvpc_configuration: Network }, closed)], {
      description: 'Where the task runs; also as the cloud nests it.',
    }),
  ),
  enable_execute_command: Type.Optional(Type.Boolean()),
  timeout: otherwise(
    Type.Integer({ minimum: 1, maximum: 86_400, description: 'Seconds after which it is stopped and has failed.' }),
    1_800,
  ),
}

/** What a failed command after the release does: turn the release back, or leave the new version live. */
export const failureActions = ['ROLLBACK', 'FAIL'] as const
export type FailureAction = (typeof failureActions)[number]

export const PreDeployBlock = Type.Object(parts, {
  ...closed,
  description: 'A task that runs before the service is changed.',
})
export const PostDeployBlock = Type.Object(
  // Unless the module asks for more, the new version stays: it is healthy, and what failed came after it.
  { ...parts, failure_action: otherwise(Type.Enum([...failureActions]), 'FAIL') },
  { ...closed, description: 'A task that runs after the release.' },
)

/** A command before or after the release, filled in. */
export type CommandBlock = Static<typeof PreDeployBlock>

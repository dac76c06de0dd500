import { type Static, Type } from 'typebox'
import { closed, text, withDefault } from './description.ts'

/** Integer, or a string with an integer from a template. */
const Whole = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]+$' })])

const ContainerOverride = Type.Object(
  {
    name: text('Name of the container.'),
    command: Type.Optional(Type.Array(Type.String())),
    environment: Type.Optional(
      Type.Array(Type.Object({ name: text('Name of the variable.'), value: Type.String() }, closed)),
    ),
    cpu: Type.Optional(Whole),
    memory: Type.Optional(Whole),
  },
  closed,
)

const Network = Type.Object(
  {
    subnets: Type.Array(text('A subnet.'), { minItems: 1 }),
    security_groups: Type.Optional(Type.Array(text('Security group ID.'))),
    assign_public_ip: Type.Optional(Type.Enum(['ENABLED', 'DISABLED'])),
  },
  closed,
)

const parts = {
  container_overrides: withDefault(Type.Array(ContainerOverride), []),
  cpu: Type.Optional(text('CPU units of the whole task.')),
  memory: Type.Optional(text('Memory of the whole task.')),
  ephemeral_storage: Type.Optional(Type.Object({ size_in_gib: Type.Integer({ minimum: 20, maximum: 200 }) }, closed)),
  task_role_arn: Type.Optional(text('ARN of the task role.')),
  execution_role_arn: Type.Optional(text('ARN of the task execution role.')),
  capacity_provider_strategy: Type.Optional(
    Type.Array(
      Type.Object(
        {
          capacity_provider: text('Name of the capacity provider.'),
          weight: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
          base: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
        },
        closed,
      ),
    ),
  ),
  network_configuration: Type.Optional(
    Type.Union([Network, Type.Object({ awsvpc_configuration: Network }, closed)], {
      description: "Network of the task. The nested form of the cloud's API is accepted too.",
    }),
  ),
  enable_execute_command: Type.Optional(Type.Boolean()),
  timeout: withDefault(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'Timeout in seconds, after which the task is stopped and fails.',
    }),
    1_800,
  ),
}

/** Actions if a command after the release fails: roll the release back, or fail and leave the new version live. */
export const failureActions = ['ROLLBACK', 'FAIL'] as const
export type FailureAction = (typeof failureActions)[number]

export const PreDeployBlock = Type.Object(parts, {
  ...closed,
  description: 'Task to run before the service is changed.',
})
export const PostDeployBlock = Type.Object(
  // Defaults to FAIL, which leaves the healthy new version live, because the failure happened after the release.
  { ...parts, failure_action: withDefault(Type.Enum([...failureActions]), 'FAIL') },
  { ...closed, description: 'Task to run after the release.' },
)

/** Command before or after a release, with defaults applied. */
export type CommandBlock = Static<typeof PreDeployBlock>

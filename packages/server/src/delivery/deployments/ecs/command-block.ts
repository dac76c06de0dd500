import { type Static, type TSchema, Type } from 'typebox'
import type { Command } from '../../../cloud/facts/ecs.ts'
import { present } from '../../../platform/present.ts'
import { cloudRequest } from './cloud-request.ts'
import { type FailureAction, failureActions } from './release.ts'

const closed = { additionalProperties: false } as const
const Text = Type.String({ minLength: 1 })
const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
/** A whole number, which templates may bring as a text. */
const Whole = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]+$' })])

const common = {
  container_overrides: orNull(
    Type.Array(
      Type.Object(
        {
          name: Text,
          command: orNull(Type.Array(Type.String())),
          environment: orNull(Type.Array(Type.Object({ name: Text, value: Type.String() }, closed))),
          cpu: orNull(Whole),
          memory: orNull(Whole),
        },
        closed,
      ),
    ),
  ),
  cpu: orNull(Text),
  memory: orNull(Text),
  ephemeral_storage: orNull(Type.Object({ size_in_gib: Type.Integer({ minimum: 20, maximum: 200 }) }, closed)),
  task_role_arn: orNull(Text),
  execution_role_arn: orNull(Text),
  capacity_provider_strategy: orNull(
    Type.Array(
      Type.Object(
        {
          capacity_provider: Text,
          weight: orNull(Type.Integer({ minimum: 0, maximum: 1_000 })),
          base: orNull(Type.Integer({ minimum: 0, maximum: 100_000 })),
        },
        closed,
      ),
    ),
  ),
  network_configuration: orNull(
    Type.Object(
      {
        subnets: Type.Array(Text, { minItems: 1 }),
        security_groups: orNull(Type.Array(Text)),
        assign_public_ip: orNull(Type.Enum(['ENABLED', 'DISABLED'])),
      },
      closed,
    ),
  ),
  enable_execute_command: orNull(Type.Boolean()),
  timeout: orNull(Type.Integer({ minimum: 1, maximum: 86_400 })),
}

/** The `pre_deploy` block, rendered. */
export const PreDeployBlock = Type.Object(common, closed)
/** The `post_deploy` block, rendered. */
export const PostDeployBlock = Type.Object(
  { ...common, failure_action: orNull(Type.Enum([...failureActions])) },
  closed,
)

type CommandBlock = Static<typeof PostDeployBlock>

/** Seconds; the language's default. */
const defaultTimeout = 1_800

/** The command of a block; that of `app`, the first container, where the block names none. */
export function commandOf(block: CommandBlock, app: string): Command {
  const { container_overrides, capacity_provider_strategy, network_configuration, enable_execute_command } = block
  const { cpu, memory, ephemeral_storage, task_role_arn, execution_role_arn } = block
  const containerOverrides = (container_overrides ?? []).map((override) => ({
    ...cloudRequest(override),
    ...numbers({ cpu: override.cpu, memory: override.memory }),
  }))
  return present({
    container: container_overrides?.[0]?.name ?? app,
    overrides: {
      ...cloudRequest({ cpu, memory, ephemeral_storage, task_role_arn, execution_role_arn }),
      containerOverrides,
    },
    networkConfiguration: network_configuration
      ? { awsvpcConfiguration: cloudRequest(network_configuration) }
      : undefined,
    capacityProviderStrategy: capacity_provider_strategy?.map(cloudRequest),
    enableExecuteCommand: enable_execute_command ?? undefined,
    timeoutSeconds: block.timeout ?? defaultTimeout,
  })
}

/** Unless the module asks for more, the new version stays: it is healthy, and what failed came after it. */
export const failureActionOf = ({ failure_action }: CommandBlock): FailureAction => failure_action ?? 'FAIL'

const numbers = (given: Record<string, string | number | null | undefined>): Record<string, number> =>
  Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value == null ? [] : [[name, Number(value)]])))

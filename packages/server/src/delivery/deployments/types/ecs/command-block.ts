import type { CommandBlock } from '@sluice/contract'
import type { Command } from '../../../../cloud/facts/ecs.ts'
import { present } from '../../../../platform/present.ts'
import { cloudRequest } from './cloud-request.ts'

/** Returns the command of a block. Its default container is `app`, the first one of the task definition. */
export function commandOf(block: CommandBlock, app: string): Command {
  const { container_overrides, capacity_provider_strategy, network_configuration, enable_execute_command } = block
  const { cpu, memory, ephemeral_storage, task_role_arn, execution_role_arn } = block
  const containerOverrides = container_overrides.map((override) => ({
    ...cloudRequest(override),
    ...numbers({ cpu: override.cpu, memory: override.memory }),
  }))
  return present({
    container: container_overrides[0]?.name ?? app,
    overrides: {
      ...cloudRequest({ cpu, memory, ephemeral_storage, task_role_arn, execution_role_arn }),
      containerOverrides,
    },
    networkConfiguration: network_configuration && nested(network_configuration),
    capacityProviderStrategy: capacity_provider_strategy?.map(cloudRequest),
    enableExecuteCommand: enable_execute_command,
    timeoutSeconds: block.timeout,
  })
}

/** Adds the nesting level with a single name, which modules may omit. */
const nested = (network: NonNullable<CommandBlock['network_configuration']>) =>
  cloudRequest('awsvpc_configuration' in network ? network : { awsvpc_configuration: network })

const numbers = (given: Record<string, string | number | undefined>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, Number(value)]])),
  )

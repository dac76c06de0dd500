import type { RehearsalScenario } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { taskSizeOf } from '../deployment-checks/ecs/fargate-size.ts'
import type { RehearsedChange } from './job.ts'

/** Resource whose price is wanted: its type and attributes, as a plan has them. */
export type PricedResource = { resourceType: string; attributes: Record<string, string> }

/** Returns a function that computes the cost of such a resource for some seconds; undefined without a price. */
export type FindPrice = (
  db: Db,
  organizationId: string,
  resource: PricedResource,
) => Promise<((seconds: number) => { currency: string; amount: string }) | undefined>

/** Adds the cost of the extra tasks to the scenarios of a container service. */
export async function addExtraCost(
  scenarios: RehearsalScenario[],
  change: RehearsedChange,
  findPrice: (resource: PricedResource) => ReturnType<FindPrice>,
): Promise<RehearsalScenario[]> {
  if (change.type !== 'cloud:ecs') return scenarios
  const costOf = await findPrice({ resourceType: 'aws_ecs_task', attributes: taskAttributes(change.twin) })
  if (!costOf) return scenarios
  return scenarios.map((scenario) =>
    scenario.extraTaskSeconds === undefined ? scenario : { ...scenario, extraCost: costOf(scenario.extraTaskSeconds) },
  )
}

type Twin = Extract<RehearsedChange, { type: 'cloud:ecs' }>['twin']

/**
 * Returns what decides the price of a task. Its launch type is EC2, FARGATE or FARGATE_SPOT, and unknown if tasks are
 * divided between the latter two.
 */
function taskAttributes({ definition, service }: Pick<Twin, 'definition' | 'service'>): Record<string, string> {
  const strategy = (service.capacityProviderStrategy ?? []) as { capacityProvider?: string }[]
  const [provider, ...others] = new Set(strategy.map(({ capacityProvider }) => capacityProvider))
  const attributes = {
    cpu: sizeOf(definition.cpu, 'vcpu'),
    memory: sizeOf(definition.memory, 'gb'),
    launch_type: others.length > 0 ? undefined : (provider ?? service.launchType),
  }
  const known = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]))
}

/** Returns a size in units or MiB, as the cloud would return it; undefined if the task definition has none. */
const sizeOf = (size: unknown, unit: 'vcpu' | 'gb'): number | undefined =>
  size === undefined || size === null ? undefined : taskSizeOf(String(size), unit)

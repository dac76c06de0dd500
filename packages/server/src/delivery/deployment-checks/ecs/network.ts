import type { NetworkReading, ServiceSettings } from '../../../cloud/facts/release-parts.ts'
import type { EcsRelease } from '../../deployments/types/ecs/release.ts'
import type { Finding } from '../findings.ts'

/** Checks that the network of a service exists and has addresses for the tasks that a release starts. */
export function checkNetwork(
  { strategy }: Pick<EcsRelease, 'strategy'>,
  settings: ServiceSettings,
  { subnets, missingSubnetIds, missingSecurityGroupIds }: NetworkReading,
): Finding[] {
  const missing = [...missingSubnetIds, ...missingSecurityGroupIds].map(
    (id): Finding => ({
      severity: 'ERROR',
      code: 'NETWORK_MISSING',
      message: `The service starts tasks in ${id}, which does not exist.`,
      remedy: 'Correct the network configuration of the service.',
    }),
  )
  if (missing.length > 0) return missing
  const isRolling = strategy.type === 'rolling'
  const needed = isRolling ? extraTasksOf(settings) : settings.desiredCount
  const free = subnets.reduce((sum, { availableIpAddressCount }) => sum + availableIpAddressCount, 0)
  if (free >= needed) return []
  // A rolling release replaces tasks in smaller steps as long as at least one address is free.
  const severity = isRolling && free > 0 ? 'WARNING' : 'ERROR'
  const ids = subnets.map(({ id }) => id).join(', ')
  return [
    {
      severity,
      code: 'ADDRESSES_INSUFFICIENT',
      message: `The release starts up to ${needed} tasks before it stops others, and ${ids} have ${free} free addresses.`,
      remedy: 'Add a subnet to the service, or free addresses.',
    },
  ]
}

/** Returns the number of tasks that a rolling release starts in addition to the running ones. */
const extraTasksOf = ({ desiredCount, maximumPercent }: ServiceSettings): number =>
  Math.max(0, Math.floor((desiredCount * maximumPercent) / 100) - desiredCount)

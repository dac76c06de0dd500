import type { InstanceCounts, InstanceRelease, InstanceReleaseResult } from '@sluice/contract'
import type { CommandSnapshot, InstanceReading } from '../../../../cloud/facts/ec2.ts'
import { present } from '../../../../platform/present.ts'
import type { Wave } from './progress.ts'
import type { Ec2State } from './state.ts'

const failing: InstanceReleaseResult['status'][] = ['FAILED', 'TIMED_OUT', 'UNREACHABLE']
const open: InstanceReleaseResult['status'][] = ['PENDING', 'IN_PROGRESS']

export const hasFailed = ({ status }: InstanceReleaseResult): boolean => failing.includes(status)
export const isOpen = ({ status }: InstanceReleaseResult): boolean => open.includes(status)

/** Reports whether an instance may run the new release, at least partly. */
export const hasStarted = ({ status, startedAt }: InstanceReleaseResult): boolean =>
  startedAt !== undefined || status === 'SUCCESS' || status === 'FAILED' || status === 'TIMED_OUT'

export const instancesOf = ({ data }: Ec2State): InstanceRelease[] => data.instances ?? []

export const failuresOf = (deployment: Ec2State): InstanceRelease[] => instancesOf(deployment).filter(hasFailed)

/** Returns the instances that a rollback concerns. */
export const startedInstances = (deployment: Ec2State): InstanceRelease[] => instancesOf(deployment).filter(hasStarted)

const isReturned = ({ returned }: InstanceRelease) => returned?.status === 'SUCCESS' || returned?.status === 'GONE'

export function returnCounts(deployment: Ec2State): InstanceCounts {
  const begun = startedInstances(deployment)
  const succeeded = begun.filter(isReturned).length
  const failed = begun.filter(({ returned }) => returned !== undefined && hasFailed(returned)).length
  return { total: begun.length, succeeded, failed }
}

/** Returns the instances that started with the new release and do not run the old one again. */
export const notReturned = (deployment: Ec2State): InstanceRelease[] =>
  startedInstances(deployment).filter((instance) => !isReturned(instance))

/** Records the results of a wave for some instances. */
export function setResults(deployment: Ec2State, purpose: Wave['purpose'], readings: InstanceReading[]): Ec2State {
  const instances = readings.reduce((so, reading) => withResult(so, purpose, reading), instancesOf(deployment))
  return { ...deployment, data: { ...deployment.data, instances } }
}

function withResult(
  instances: InstanceRelease[],
  purpose: Wave['purpose'],
  { instanceId, ...result }: InstanceReading,
): InstanceRelease[] {
  const there = instances.find((one) => one.instanceId === instanceId)
  const changed: InstanceRelease =
    purpose === 'return' && there
      ? { ...there, returned: result }
      : { instanceId, ...result, ...present({ returned: there?.returned }) }
  return there ? instances.map((one) => (one === there ? changed : one)) : [...instances, changed]
}

/** Removes the results of some instances, so that a later wave includes them again. */
export function removeResults(deployment: Ec2State, instanceIds: string[]): Ec2State {
  const instances = instancesOf(deployment).filter(({ instanceId }) => !instanceIds.includes(instanceId))
  return { ...deployment, data: { ...deployment.data, instances } }
}

export function resultOf(deployment: Ec2State, { purpose }: Wave, instanceId: string) {
  const instance = instancesOf(deployment).find((one) => one.instanceId === instanceId)
  return purpose === 'return' ? instance?.returned : instance
}

/**
 * Returns the results of the wave's instances after its command has ended. An instance that left the group is not a
 * failure.
 */
export function finalResults(
  deployment: Ec2State,
  wave: Wave,
  command: CommandSnapshot,
  members: string[],
): InstanceReading[] {
  return wave.instanceIds.map((instanceId): InstanceReading => {
    const known = resultOf(deployment, wave, instanceId)
    const { status, commandId } = { status: known?.status ?? 'PENDING', commandId: command.commandId }
    if (status !== 'SUCCESS' && !members.includes(instanceId)) {
      return { instanceId, ...present({ startedAt: known?.startedAt }), commandId, status: 'GONE' }
    }
    if (known && !isOpen(known)) return { ...pick(known), instanceId }
    // The command ended without a result for this instance, so it was never sent there.
    const never = command.status === 'Success' ? 'UNREACHABLE' : 'CANCELLED'
    return { ...(known ? pick(known) : {}), instanceId, commandId, status: never, statusDetails: 'NeverSent' }
  })
}

/** Returns only the result of an instance. */
function pick(result: InstanceReleaseResult): InstanceReleaseResult {
  const { status, statusDetails, commandId, startedAt, completedAt, exitCode, output } = result
  return present({ status, statusDetails, commandId, startedAt, completedAt, exitCode, output })
}

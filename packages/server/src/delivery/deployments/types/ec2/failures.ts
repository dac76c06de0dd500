import { failures, type InstanceRelease, lastLinesTitle, type UserFacingError } from '@sluice/contract'
import { consoleUrl } from '../../../../cloud/facts/partition.ts'
import { failuresOf, notReturned } from './instances.ts'
import type { Ec2Release } from './release.ts'
import type { Ec2State } from './state.ts'

/** Maximum number of instances that are listed individually; the others are counted. */
const maxListed = 10

/** Maximum number of output lines of an instance that an error includes. */
const maxLines = 20

export function noInstances(release: Ec2Release): UserFacingError {
  return {
    code: failures.noInstances.code,
    message: `The group ${release.autoScalingGroupName} has no instance in service, so there is nothing to release to.`,
    description: 'Raise the desired capacity of the group, wait until instances are in service, then deploy again.',
    action: lookAtGroup(release),
  }
}

/** Returns the error of a release in which too many instances failed, with the details that an operator needs next. */
export function instancesFailed(deployment: Ec2State): UserFacingError {
  const { release, data } = deployment
  const failed = failuresOf(deployment)
  return {
    code: failures.instancesFailed.code,
    message: `The release failed on ${countOf(failed)}; ${data.errorsMax ?? 0} may fail.`,
    description: descriptionOf(release),
    ...detailsOfFailure(failed),
    action: lookAtGroup(release),
  }
}

/** Returns the reason and last output of one failed instance, followed by a list of all of them. */
function detailsOfFailure(failed: InstanceRelease[]): Pick<UserFacingError, 'details' | 'metadata'> {
  const one = failed.find(({ output = '' }) => output.trim() !== '') ?? failed[0]
  if (!one) return {}
  const { output = '', ...silent } = one
  const lines = output.trim().split('\n').slice(-maxLines)
  const said = output.trim() === '' ? [] : [{ title: lastLinesTitle, render: 'list' as const, items: lines }]
  const all = failed.map((instance) => (instance === one ? silent : instance))
  const { instanceId, status, statusDetails = status } = one
  return {
    details: [...said, ...listOf('Failed instances', all)],
    metadata: { cause: `${exitOf(one) ?? statusDetails} on ${instanceId}`, container: instanceId },
  }
}

function descriptionOf({ logGroupName }: Ec2Release): string {
  const where = logGroupName === undefined ? 'on the instance' : `in the log group ${logGroupName}`
  return `Read what the instances said, here or ${where}. Mend it, then deploy again.`
}

export function stoppedExternally({ release }: Ec2State, commandId: string): UserFacingError {
  return {
    code: failures.stoppedOutside.code,
    message: `The remote command ${commandId} was cancelled from outside before it was done.`,
    description: 'Instances that it had reached run the new release, the others the one before.',
    action: lookAtGroup(release),
  }
}

export function sourceNotReadable(release: Ec2Release, repository: string, reason: string): UserFacingError {
  return {
    code: failures.sourceNotReadable.code,
    message: `The repository ${repository} cannot be read: ${reason}`,
    description: 'Connect it again as a code source of the organization, then deploy again.',
    action: lookAtGroup(release),
  }
}

export function timedOut(release: Ec2Release): UserFacingError {
  return {
    code: failures.timedOut.code,
    message: `The deployment did not finish within its timeout of ${release.timeoutSeconds} s.`,
    description: 'Raise deploy.timeout or deploy.strategy.concurrency_max in the module version if it needs longer.',
    action: lookAtGroup(release),
  }
}

export function rollbackTimedOut(release: Ec2Release): UserFacingError {
  return {
    code: failures.rollbackTimedOut.code,
    message: `The instances were not returned within ${release.timeoutSeconds} s; they may run either release.`,
    action: lookAtGroup(release),
  }
}

export function returnFailed(deployment: Ec2State): UserFacingError {
  const left = notReturned(deployment)
  return {
    code: failures.rollbackFailed.code,
    message: `The release before could not be put back on ${countOf(left)}.`,
    description: deployment.error?.message ?? 'Deploy again to bring all instances to one release.',
    details: listOf(
      'Instances that were not returned',
      left.map(({ returned, ...instance }) => ({ ...instance, ...returned })),
    ),
    action: lookAtGroup(deployment.release),
  }
}

export function nothingToReturnTo(deployment: Ec2State): UserFacingError {
  const left = notReturned(deployment)
  return {
    code: failures.rollbackFailed.code,
    message: `No earlier release is known to which ${left.length > 0 ? countOf(left) : 'the group'} could be returned.`,
    description: `${deployment.error?.message ?? ''} Deploy again to bring all instances to one release.`.trim(),
    details: listOf('Instances with the new release', left),
    action: lookAtGroup(deployment.release),
  }
}

export function observationRejected(release: Ec2Release, reason: string): UserFacingError {
  return {
    code: failures.cloudRefused.code,
    message: `The release could no longer be observed: ${reason}`,
    description: 'The cloud continues it. Check that the connected role may still read the group.',
    action: lookAtGroup(release),
  }
}

const countOf = ({ length }: unknown[]): string => `${length} ${length === 1 ? 'instance' : 'instances'}`

function listOf(title: string, instances: InstanceRelease[]): NonNullable<UserFacingError['details']> {
  if (instances.length === 0) return []
  const more = instances.length - maxListed
  const items = [...instances.slice(0, maxListed).map(lineOf), ...(more > 0 ? [`and ${more} more`] : [])]
  return [{ title, render: 'list', items }]
}

function lineOf(instance: InstanceRelease): string {
  const { instanceId, status, statusDetails, output } = instance
  const said = output?.trim()
  return [instanceId, statusDetails ?? status, exitOf(instance), said]
    .filter((part) => part !== undefined && part !== '')
    .join(' · ')
}

/** Formats the exit code. The cloud reports -1 if nothing ran. */
const exitOf = ({ exitCode = -1 }: InstanceRelease): string | undefined =>
  exitCode < 0 ? undefined : `exit code ${exitCode}`

function lookAtGroup({ region, autoScalingGroupName }: Ec2Release): { label: string; url: string } {
  const name = encodeURIComponent(autoScalingGroupName)
  return {
    label: 'Open the group in the cloud console',
    url: consoleUrl(region, `ec2/home?region=${region}#AutoScalingGroupDetails:id=${name};view=activity`),
  }
}

import type { InstanceRelease } from '@sluice/contract'
import type { InstanceReading, Member } from '../../../../cloud/facts/ec2.ts'
import type { PollPace } from '../../execution/state.ts'
import { goTo, pollLater } from '../../execution/transitions.ts'
import { onInstancesRolledBack, succeeded } from './endings.ts'
import { instancesOf, setResults, startedInstances } from './instances.ts'
import { evaluateWave } from './observe.ts'
import type { Wave } from './progress.ts'
import type { Ec2State } from './state.ts'
import { sendWave } from './wave.ts'

/** Maximum number of instances that one command can name. */
const maxInstancesPerCommand = 50

/**
 * Maximum time during which a serving instance may lack an agent before it fails, in milliseconds. Agents start within
 * minutes.
 */
const maxAgentWaitMs = 10 * 60_000

/** Selects the instances of the next wave. If none is left, this phase is complete. */
export function selectNextWave(deployment: Ec2State, members: Member[], pace: PollPace, now: Date): Ec2State {
  const purpose: Wave['purpose'] = deployment.progress.back ? 'return' : 'release'
  const settled = purpose === 'return' ? withoutGone(deployment, members) : deployment
  const missing = purpose === 'return' ? toReturn(settled, members) : toRelease(settled, members)
  if (missing.length === 0) return nextPhase(settled, now)
  const ready = missing
    .filter(({ isServing, isReachable }) => isServing && isReachable)
    .slice(0, maxInstancesPerCommand)
  if (ready.length > 0) return sendWave(settled, nextWave(settled, purpose, ready), now)
  return awaitAgents(settled, purpose, missing, pace, now)
}

/**
 * Returns the instances to update: serving ones before the release is published, and after that those that may have
 * started too early to read it.
 */
function toRelease(deployment: Ec2State, members: Member[]): Member[] {
  const { joiners } = deployment.progress
  const known = instancesOf(deployment).map(({ instanceId }) => instanceId)
  return members.filter(
    ({ instanceId, isServing }) => !known.includes(instanceId) && (joiners ? joiners.includes(instanceId) : isServing),
  )
}

function toReturn(deployment: Ec2State, members: Member[]): Member[] {
  const open = startedInstances(deployment).filter((instance) => instance.returned === undefined)
  return members.filter(({ instanceId }) => open.some((instance) => instance.instanceId === instanceId))
}

/** Removes instances that left the group and need no rollback. */
function withoutGone(deployment: Ec2State, members: Member[]): Ec2State {
  const isGone = (instance: InstanceRelease) =>
    instance.returned === undefined && !members.some(({ instanceId }) => instanceId === instance.instanceId)
  const gone = startedInstances(deployment).filter(isGone)
  return setResults(
    deployment,
    'return',
    gone.map(({ instanceId }): InstanceReading => ({ instanceId, status: 'GONE' })),
  )
}

const nextWave = ({ progress }: Ec2State, purpose: Wave['purpose'], ready: Member[]): Wave => ({
  number: (progress.wave?.number ?? 0) + 1,
  purpose,
  instanceIds: ready.map(({ instanceId }) => instanceId),
})

function awaitAgents(
  deployment: Ec2State,
  purpose: Wave['purpose'],
  missing: Member[],
  pace: PollPace,
  now: Date,
): Ec2State {
  const waitingSince = deployment.progress.waitingSince ?? now.toISOString()
  const leftMs = Date.parse(waitingSince) + maxAgentWaitMs - now.getTime()
  if (leftMs > 0) {
    const waiting = { ...deployment, progress: { ...deployment.progress, waitingSince } }
    const names = missing.map(({ instanceId }) => instanceId).join(', ')
    const waitingFor = `the agents of ${names} to take commands`
    return pollLater(waiting, { pace, now, waitingFor, mostMs: leftMs })
  }
  const readings = missing.map(
    ({ instanceId }): InstanceReading => ({ instanceId, status: 'UNREACHABLE', statusDetails: 'NoAgent' }),
  )
  return evaluateWave(setResults(deployment, purpose, readings), purpose, now)
}

/** Continues with the next phase, because no instance is missing. */
function nextPhase(deployment: Ec2State, now: Date): Ec2State {
  if (deployment.progress.back) return onInstancesRolledBack(deployment, now)
  return deployment.progress.isPublished ? succeeded(deployment, now) : goTo(deployment, 'publish', now)
}

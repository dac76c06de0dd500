import type { CommandSnapshot, InstanceReading } from '../../../../cloud/facts/ec2.ts'
import { present } from '../../../../platform/present.ts'
import type { PollPace } from '../../execution/state.ts'
import { goTo, pollLater } from '../../execution/transitions.ts'
import { gaveUp, returning } from './endings.ts'
import { instancesFailed, stoppedOutside } from './failures.ts'
import { concluded, failuresOf, forget, isOpen, resultOf, setResults } from './instances.ts'
import type { Wave } from './progress.ts'
import type { Ec2State } from './state.ts'

/** Applies the observed state of the command. Evaluates every instance once the command has ended. */
export function observed(
  deployment: Ec2State,
  command: CommandSnapshot,
  members: string[],
  pace: PollPace,
  now: Date,
): Ec2State {
  const { wave } = deployment.progress
  if (!wave) throw new Error(`deployment ${deployment.id} has nothing to look at`)
  const ours = command.readings.filter(({ instanceId }) => wave.instanceIds.includes(instanceId))
  const isNew = ours.some(({ instanceId, status }) => resultOf(deployment, wave, instanceId)?.status !== status)
  const seen = setResults(
    deployment,
    wave.purpose,
    ours.map((reading) => startedBy(deployment, wave, reading, now)),
  )
  if (!command.isOver) {
    return pollLater(seen, { pace, now, waitingFor: `the instances to take ${command.commandId}`, isNew })
  }
  const over = setResults(seen, wave.purpose, concluded(seen, wave, command, members))
  if (wave.purpose === 'return') return goTo(over, 'look', now)
  return over.progress.back ? returning(over, now) : judgedByCommand(over, wave, command, now)
}

/** Fills in the start time of an instance, because the cloud does not always report it for a running command. */
function startedBy(deployment: Ec2State, wave: Wave, reading: InstanceReading, now: Date): InstanceReading {
  const known = resultOf(deployment, wave, reading.instanceId)?.startedAt
  const startedAt = reading.startedAt ?? known ?? (reading.status === 'IN_PROGRESS' ? now.toISOString() : undefined)
  return { ...reading, ...present({ startedAt }) }
}

/**
 * Evaluates a command that stopped at too many errors or was stopped externally. Instances that it skipped are included
 * in a later wave.
 */
function judgedByCommand(deployment: Ec2State, wave: Wave, command: CommandSnapshot, now: Date): Ec2State {
  const left = wave.instanceIds.filter((id) => resultOf(deployment, wave, id)?.status === 'CANCELLED')
  const isFailed = failuresOf(deployment).length > (deployment.data.errorsMax ?? 0)
  if (left.length > 0 && !isFailed && command.status === 'Cancelled') {
    return gaveUp(deployment, stoppedOutside(deployment, command.commandId), now)
  }
  return judged(isFailed ? deployment : forget(deployment, left), wave.purpose, now)
}

/** Ends the release after too many failures; otherwise continues with the remaining instances. */
export function judged(deployment: Ec2State, purpose: Wave['purpose'], now: Date): Ec2State {
  if (purpose === 'return') return goTo(deployment, 'look', now)
  if (failuresOf(deployment).length > (deployment.data.errorsMax ?? 0)) {
    return gaveUp(deployment, instancesFailed(deployment), now)
  }
  return goTo(deployment, 'look', now)
}

/** Returns instances of the running command that left the group. The command would wait for hours for their results. */
export const strays = ({ readings }: CommandSnapshot, members: string[]): string[] =>
  readings.filter((reading) => isOpen(reading) && !members.includes(reading.instanceId)).map((one) => one.instanceId)

import type { CommandSnapshot, InstanceReading } from '../../../../cloud/facts/ec2.ts'
import { present } from '../../../../platform/present.ts'
import type { PollPace } from '../../execution/state.ts'
import { goTo, pollLater } from '../../execution/transitions.ts'
import { failAfterChange, rollBackInstances } from './endings.ts'
import { instancesFailed, stoppedExternally } from './failures.ts'
import { failuresOf, finalResults, isOpen, removeResults, resultOf, setResults } from './instances.ts'
import type { Wave } from './progress.ts'
import type { Ec2State } from './state.ts'

/** Applies the observed state of the command. Evaluates every instance once the command has ended. */
export function onObserved(
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
  const over = setResults(seen, wave.purpose, finalResults(seen, wave, command, members))
  if (wave.purpose === 'return') return goTo(over, 'look', now)
  return over.progress.back ? rollBackInstances(over, now) : evaluateCommand(over, wave, command, now)
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
function evaluateCommand(deployment: Ec2State, wave: Wave, command: CommandSnapshot, now: Date): Ec2State {
  const left = wave.instanceIds.filter((id) => resultOf(deployment, wave, id)?.status === 'CANCELLED')
  const isFailed = failuresOf(deployment).length > (deployment.data.errorsMax ?? 0)
  if (left.length > 0 && !isFailed && command.status === 'Cancelled') {
    return failAfterChange(deployment, stoppedExternally(deployment, command.commandId), now)
  }
  return evaluateWave(isFailed ? deployment : removeResults(deployment, left), wave.purpose, now)
}

/** Ends the release after too many failures; otherwise continues with the remaining instances. */
export function evaluateWave(deployment: Ec2State, purpose: Wave['purpose'], now: Date): Ec2State {
  if (purpose === 'return') return goTo(deployment, 'look', now)
  if (failuresOf(deployment).length > (deployment.data.errorsMax ?? 0)) {
    return failAfterChange(deployment, instancesFailed(deployment), now)
  }
  return goTo(deployment, 'look', now)
}

/** Returns instances of the running command that left the group. The command would wait for hours for their results. */
export const departedInstances = ({ readings }: CommandSnapshot, members: string[]): string[] =>
  readings.filter((reading) => isOpen(reading) && !members.includes(reading.instanceId)).map((one) => one.instanceId)

import type { CommandSnapshot, InstanceReading } from '../../../../cloud/facts/ec2.ts'
import { present } from '../../../../platform/present.ts'
import type { PollPace } from '../../execution/state.ts'
import { goTo, lookAgain } from '../../execution/transitions.ts'
import { gaveUp, returning } from './endings.ts'
import { instancesFailed, stoppedOutside } from './failures.ts'
import { concluded, failuresOf, forget, isOpen, resultOf, setResults } from './instances.ts'
import type { Wave } from './progress.ts'
import type { Ec2Standing } from './state.ts'

/** Applies the observed state of the command. Evaluates every instance once the command has ended. */
export function observed(
  standing: Ec2Standing,
  command: CommandSnapshot,
  members: string[],
  pace: PollPace,
  now: Date,
): Ec2Standing {
  const { wave } = standing.progress
  if (!wave) throw new Error(`deployment ${standing.id} has nothing to look at`)
  const ours = command.readings.filter(({ instanceId }) => wave.instanceIds.includes(instanceId))
  const isNew = ours.some(({ instanceId, status }) => resultOf(standing, wave, instanceId)?.status !== status)
  const seen = setResults(
    standing,
    wave.purpose,
    ours.map((reading) => startedBy(standing, wave, reading, now)),
  )
  if (!command.isOver) {
    return lookAgain(seen, { pace, now, waitingFor: `the instances to take ${command.commandId}`, isNew })
  }
  const over = setResults(seen, wave.purpose, concluded(seen, wave, command, members))
  if (wave.purpose === 'return') return goTo(over, 'look', now)
  return over.progress.back ? returning(over, now) : judgedByCommand(over, wave, command, now)
}

/** Fills in the start time of an instance, because the cloud does not always report it for a running command. */
function startedBy(standing: Ec2Standing, wave: Wave, reading: InstanceReading, now: Date): InstanceReading {
  const known = resultOf(standing, wave, reading.instanceId)?.startedAt
  const startedAt = reading.startedAt ?? known ?? (reading.status === 'IN_PROGRESS' ? now.toISOString() : undefined)
  return { ...reading, ...present({ startedAt }) }
}

/**
 * Evaluates a command that stopped at too many errors or was stopped externally. Instances that it skipped are included
 * in a later wave.
 */
function judgedByCommand(standing: Ec2Standing, wave: Wave, command: CommandSnapshot, now: Date): Ec2Standing {
  const left = wave.instanceIds.filter((id) => resultOf(standing, wave, id)?.status === 'CANCELLED')
  const isFailed = failuresOf(standing).length > (standing.data.errorsMax ?? 0)
  if (left.length > 0 && !isFailed && command.status === 'Cancelled') {
    return gaveUp(standing, stoppedOutside(standing, command.commandId), now)
  }
  return judged(isFailed ? standing : forget(standing, left), wave.purpose, now)
}

/** Ends the release after too many failures; otherwise continues with the remaining instances. */
export function judged(standing: Ec2Standing, purpose: Wave['purpose'], now: Date): Ec2Standing {
  if (purpose === 'return') return goTo(standing, 'look', now)
  if (failuresOf(standing).length > (standing.data.errorsMax ?? 0)) {
    return gaveUp(standing, instancesFailed(standing), now)
  }
  return goTo(standing, 'look', now)
}

/** Returns instances of the running command that left the group. The command would wait for hours for their results. */
export const strays = ({ readings }: CommandSnapshot, members: string[]): string[] =>
  readings.filter((reading) => isOpen(reading) && !members.includes(reading.instanceId)).map((one) => one.instanceId)

import type { CommandSnapshot, InstanceReading } from '../../../../cloud/facts/ec2.ts'
import { present } from '../../../../platform/present.ts'
import type { PollPace } from '../../execution/state.ts'
import { goTo, lookAgain } from '../../execution/transitions.ts'
import { gaveUp, returning } from './endings.ts'
import { instancesFailed, stoppedOutside } from './failures.ts'
import { concluded, failuresOf, forget, isOpen, resultOf, setResults } from './instances.ts'
import type { Wave } from './progress.ts'
import type { Ec2Standing } from './state.ts'

/** Takes in what the cloud shows of the command, and judges it by every instance once it is over. */
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

/** The cloud does not always say when it began; that it runs is enough to know that it has. */
function startedBy(standing: Ec2Standing, wave: Wave, reading: InstanceReading, now: Date): InstanceReading {
  const known = resultOf(standing, wave, reading.instanceId)?.startedAt
  const startedAt = reading.startedAt ?? known ?? (reading.status === 'IN_PROGRESS' ? now.toISOString() : undefined)
  return { ...reading, ...present({ startedAt }) }
}

/**
 * A command stops by itself at too many errors, or because others stop it; what it left out is taken again otherwise.
 */
function judgedByCommand(standing: Ec2Standing, wave: Wave, command: CommandSnapshot, now: Date): Ec2Standing {
  const left = wave.instanceIds.filter((id) => resultOf(standing, wave, id)?.status === 'CANCELLED')
  const isFailed = failuresOf(standing).length > (standing.data.errorsMax ?? 0)
  if (left.length > 0 && !isFailed && command.status === 'Cancelled') {
    return gaveUp(standing, stoppedOutside(standing, command.commandId), now)
  }
  return judged(isFailed ? standing : forget(standing, left), wave.purpose, now)
}

/** Too many failures end the release; else it goes on with those that are left. */
export function judged(standing: Ec2Standing, purpose: Wave['purpose'], now: Date): Ec2Standing {
  if (purpose === 'return') return goTo(standing, 'look', now)
  if (failuresOf(standing).length > (standing.data.errorsMax ?? 0)) {
    return gaveUp(standing, instancesFailed(standing), now)
  }
  return goTo(standing, 'look', now)
}

/** Instances of the running command that are not there any more: nobody would hear of them for hours. */
export const strays = ({ readings }: CommandSnapshot, members: string[]): string[] =>
  readings.filter((reading) => isOpen(reading) && !members.includes(reading.instanceId)).map((one) => one.instanceId)

import type { InstanceRelease } from '@sluice/contract'
import type { InstanceReading, Member } from '../../../../cloud/facts/ec2.ts'
import type { PollPace } from '../../execution/state.ts'
import { goTo, lookAgain } from '../../execution/transitions.ts'
import { returned, succeeded } from './endings.ts'
import { begunOf, instancesOf, setResults } from './instances.ts'
import { judged } from './observe.ts'
import type { Wave } from './progress.ts'
import type { Ec2Standing } from './state.ts'
import { sendWave } from './wave.ts'

/** Maximum number of instances that one command can name. */
const mostAtOnce = 50

/**
 * Maximum time during which a serving instance may lack an agent before it fails, in milliseconds. Agents start within
 * minutes.
 */
const agentPatienceMs = 10 * 60_000

/** Selects the instances of the next wave. If none is left, this phase is complete. */
export function looked(standing: Ec2Standing, members: Member[], pace: PollPace, now: Date): Ec2Standing {
  const purpose: Wave['purpose'] = standing.progress.back ? 'return' : 'release'
  const settled = purpose === 'return' ? withoutGone(standing, members) : standing
  const missing = purpose === 'return' ? toReturn(settled, members) : toRelease(settled, members)
  if (missing.length === 0) return passed(settled, now)
  const ready = missing.filter(({ isServing, isReachable }) => isServing && isReachable).slice(0, mostAtOnce)
  if (ready.length > 0) return sendWave(settled, nextWave(settled, purpose, ready), now)
  return awaitAgents(settled, purpose, missing, pace, now)
}

/**
 * Returns the instances to update: serving ones before the release is published, and after that those that may have
 * started too early to read it.
 */
function toRelease(standing: Ec2Standing, members: Member[]): Member[] {
  const { joiners } = standing.progress
  const known = instancesOf(standing).map(({ instanceId }) => instanceId)
  return members.filter(
    ({ instanceId, isServing }) => !known.includes(instanceId) && (joiners ? joiners.includes(instanceId) : isServing),
  )
}

function toReturn(standing: Ec2Standing, members: Member[]): Member[] {
  const open = begunOf(standing).filter((instance) => instance.returned === undefined)
  return members.filter(({ instanceId }) => open.some((instance) => instance.instanceId === instanceId))
}

/** Removes instances that left the group and need no rollback. */
function withoutGone(standing: Ec2Standing, members: Member[]): Ec2Standing {
  const isGone = (instance: InstanceRelease) =>
    instance.returned === undefined && !members.some(({ instanceId }) => instanceId === instance.instanceId)
  const gone = begunOf(standing).filter(isGone)
  return setResults(
    standing,
    'return',
    gone.map(({ instanceId }): InstanceReading => ({ instanceId, status: 'GONE' })),
  )
}

const nextWave = ({ progress }: Ec2Standing, purpose: Wave['purpose'], ready: Member[]): Wave => ({
  number: (progress.wave?.number ?? 0) + 1,
  purpose,
  instanceIds: ready.map(({ instanceId }) => instanceId),
})

function awaitAgents(
  standing: Ec2Standing,
  purpose: Wave['purpose'],
  missing: Member[],
  pace: PollPace,
  now: Date,
): Ec2Standing {
  const waitingSince = standing.progress.waitingSince ?? now.toISOString()
  const leftMs = Date.parse(waitingSince) + agentPatienceMs - now.getTime()
  if (leftMs > 0) {
    const waiting = { ...standing, progress: { ...standing.progress, waitingSince } }
    const names = missing.map(({ instanceId }) => instanceId).join(', ')
    const waitingFor = `the agents of ${names} to take commands`
    return lookAgain(waiting, { pace, now, waitingFor, mostMs: leftMs })
  }
  const readings = missing.map(
    ({ instanceId }): InstanceReading => ({ instanceId, status: 'UNREACHABLE', statusDetails: 'NoAgent' }),
  )
  return judged(setResults(standing, purpose, readings), purpose, now)
}

/** Continues with the next phase, because no instance is missing. */
function passed(standing: Ec2Standing, now: Date): Ec2Standing {
  if (standing.progress.back) return returned(standing, now)
  return standing.progress.isPublished ? succeeded(standing, now) : goTo(standing, 'publish', now)
}

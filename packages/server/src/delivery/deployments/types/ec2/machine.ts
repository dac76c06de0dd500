import type { GroupFacts, InstanceReading, Member } from '../../../../cloud/facts/ec2.ts'
import { present } from '../../../../platform/present.ts'
import { inFlightLeftMs } from '../../execution/attempts.ts'
import { continueNow, type PollPace } from '../../execution/state.ts'
import { bookkeepingOf, goTo, pollLater, startDeployment } from '../../execution/transitions.ts'
import type { Bookkeeping } from '../deployment-type.ts'
import { isCredentialExpiring } from './credential.ts'
import { failBeforeChange, rollBackInstances } from './endings.ts'
import { noInstances } from './failures.ts'
import { failuresOf, instancesOf, setResults } from './instances.ts'
import type { Ec2Progress, Wave } from './progress.ts'
import { type CountOrShare, documentNameOf, groupReleaseOf, releaseParameterOf } from './release.ts'
import type { Ec2State } from './state.ts'
import { note, reach } from './track.ts'
import { sendWave, waveOf } from './wave.ts'

export type Ec2Action = Ec2CloudAction | Bookkeeping

export type Ec2CloudAction =
  | { do: 'prepare' }
  | { do: 'look' }
  | { do: 'lend' }
  | { do: 'send' }
  | { do: 'find' }
  | { do: 'observe' }
  | { do: 'stop' }
  | { do: 'publish' }
  | { do: 'withdraw' }

/**
 * Reports whether an action changes the cloud. If so, the attempt is recorded before it, so that a crash can be
 * detected.
 */
export const changesCloud = (action: Ec2CloudAction): boolean =>
  action.do === 'lend' || action.do === 'send' || action.do === 'publish'

/** Reports whether an action only reads the cloud. */
export const onlyReads = (action: Ec2CloudAction): boolean => action.do === 'look'

/** Returns the next action of an active deployment. */
export function nextAction(deployment: Ec2State, now: Date): Ec2Action {
  const bookkeeping = bookkeepingOf(deployment, now)
  if (bookkeeping) return bookkeeping
  const { progress } = deployment
  const { step, attempt, wave, back } = progress
  if (step === 'send') return { do: attempt > 0 ? 'find' : 'send' }
  const isToBeStopped = step === 'observe' && back && wave?.purpose === 'release' && !wave.isStopSent
  if (isToBeStopped) return { do: 'stop' }
  return { do: isCredentialExpiring(progress, now) ? 'lend' : step }
}

export const freshProgress: Ec2Progress = {
  step: 'prepare',
  attempt: 0,
  troubles: 0,
  quiet: 0,
  hooks: [],
  isPublished: false,
}

/** Starts the deployment. */
export const start = (deployment: Ec2State, now: Date): Ec2State =>
  startDeployment(deployment, deployment.release.timeoutSeconds * 1000, now, note)

/** Applies the state of the group, which exists. */
export function onPrepared(deployment: Ec2State, facts: GroupFacts, now: Date): Ec2State {
  const { release, data } = deployment
  const size = facts.members.filter(({ isServing }) => isServing).length
  const known = {
    ...deployment,
    resourceArn: facts.arn,
    data: {
      ...data,
      autoScalingGroupArn: facts.arn,
      cloudAccountNumber: facts.accountNumber,
      documentName: documentNameOf(release),
      releaseParameterName: releaseParameterOf(release),
      deployedRelease: groupReleaseOf(deployment.id, release, facts.imageDigest),
      ...present({ previousRelease: facts.current }),
      concurrencyMax: Math.max(1, countOf(release.concurrencyMax, size)),
      errorsMax: countOf(release.errorsMax, size),
      instances: [],
    },
  }
  if (size === 0) return failBeforeChange(known, noInstances(release), now)
  return goTo(known, 'look', now)
}

/** Returns the number of instances for a count or a share, rounded down as the cloud does. */
const countOf = (given: CountOrShare, size: number): number =>
  given.endsWith('%') ? Math.floor((Number.parseInt(given, 10) * size) / 100) : Number(given)

/** Records that the cloud accepted the command. */
export function onCommandSent(deployment: Ec2State, commandId: string, now: Date): Ec2State {
  const wave = waveOf(deployment)
  const { purpose, instanceIds } = wave
  const readings = instanceIds.map((instanceId): InstanceReading => ({ instanceId, status: 'PENDING', commandId }))
  const marked = setResults(deployment, purpose, readings)
  const known = purpose === 'return' ? withReturnCommand(marked, commandId) : withCommand(marked, wave, commandId, now)
  return goTo(known, 'observe', now, { wave: { ...wave, commandId } })
}

function withCommand(deployment: Ec2State, { instanceIds }: Wave, commandId: string, now: Date): Ec2State {
  const { progress, data } = deployment
  const count = instanceIds.length === 1 ? 'one instance' : `${instanceIds.length} instances`
  const message = `Releasing to ${count}, ${data.concurrencyMax ?? 1} at a time, as ${commandId}.`
  const told = { ...deployment, externalDeploymentId: deployment.externalDeploymentId ?? commandId }
  return note(told, progress.isPublished ? 'PUBLISH_RELEASE' : 'UPDATE_INSTANCES', now, {
    message,
    desiredCount: instanceIds.length,
  })
}

const withReturnCommand = (deployment: Ec2State, commandId: string): Ec2State => {
  const { automaticRollback } = deployment.data
  return automaticRollback
    ? { ...deployment, data: { ...deployment.data, automaticRollback: { ...automaticRollback, commandId } } }
    : deployment
}

/**
 * Records that the cloud does not list the command. It may be in flight; after some time it is certain that the cloud
 * did not receive it.
 */
export function onCommandNotFound(deployment: Ec2State, pace: PollPace, now: Date): Ec2State {
  const { back, wave } = deployment.progress
  const leftMs = inFlightLeftMs(deployment, now)
  if (leftMs > 0) {
    const waitingFor = 'a command whose answer was lost to be listed'
    return pollLater(deployment, { pace, now, waitingFor, mostMs: leftMs })
  }
  return back && wave?.purpose === 'release'
    ? rollBackInstances(deployment, now)
    : sendWave(deployment, waveOf(deployment), now)
}

/** Returns how many more instances may fail. */
export const errorsLeft = (deployment: Ec2State): number =>
  Math.max(0, (deployment.data.errorsMax ?? 0) - failuresOf(deployment).length)

/** Records that the cloud was asked to end the command, or has nothing to end. The next poll finds out. */
export function onStopRequested(deployment: Ec2State, now: Date): Ec2State {
  const { wave } = deployment.progress
  if (!wave) return deployment
  return continueNow(
    { ...deployment, progress: { ...deployment.progress, wave: { ...wave, isStopSent: true }, troubles: 0 } },
    now,
    'the remote command to end',
  )
}

/**
 * Records that the release is published for instances that start later. Current members may have started too early to
 * read it.
 */
export function onPublished(deployment: Ec2State, members: Member[], now: Date): Ec2State {
  const { back } = deployment.progress
  if (back) return goTo(withStarted(deployment, members), 'look', now, { back: { ...back, restore: false } })
  const message = `Instances that start from now on read the release from ${releaseParameterOf(deployment.release)}.`
  const told = reach(deployment, 3, now, { message })
  const joiners = members.map(({ instanceId }) => instanceId)
  return goTo(told, 'look', now, { isPublished: true, joiners })
}

/** Adds instances that started while the release was published, so that a rollback includes them. */
function withStarted(deployment: Ec2State, members: Member[]): Ec2State {
  const known = instancesOf(deployment).map(({ instanceId }) => instanceId)
  const readings = members
    .filter(({ instanceId }) => !known.includes(instanceId))
    .map(({ instanceId }): InstanceReading => ({ instanceId, status: 'SUCCESS', statusDetails: 'StartedWithIt' }))
  return setResults(deployment, 'release', readings)
}

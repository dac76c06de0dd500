import {
  cancelCommand,
  findCommand,
  readAgents,
  readCommand,
  readGroupRelease,
  removeParameter,
  sendCommand,
  writeGroupRelease,
  writeSecret,
} from '../../../../cloud/adapter/machines/commands.ts'
import { readGroup } from '../../../../cloud/adapter/machines/groups.ts'
import { digestOfTag } from '../../../../cloud/adapter/registry.ts'
import type { Member } from '../../../../cloud/facts/ec2.ts'
import { taggedImage } from '../../../../cloud/facts/images.ts'
import type { ReadAccess } from '../../../../git/adapter/host.ts'
import { present } from '../../../../platform/present.ts'
import type { ActionContext } from '../../execution/execute.ts'
import { awaitCredential, credentialInFlightMs, onCredentialDeleted, onCredentialStored } from './credential.ts'
import { onAccessRefused } from './endings.ts'
import { sourceNotReadable } from './failures.ts'
import {
  type Ec2CloudAction,
  errorsLeft,
  onCommandNotFound,
  onCommandSent,
  onPrepared,
  onPublished,
  onStopRequested,
} from './machine.ts'
import { departedInstances, onObserved } from './observe.ts'
import { selectNextWave } from './poll.ts'
import type { Wave } from './progress.ts'
import {
  commandParametersOf,
  credentialParameterOf,
  documentNameOf,
  type Ec2Release,
  releaseParameterOf,
} from './release.ts'
import type { Ec2State } from './state.ts'
import { fixedRelease, releaseOfWave, waveOf } from './wave.ts'

/**
 * Executes one action in the cloud and returns the state of the deployment after it.
 * @throws errors of the cloud, permanent and transient
 */
export async function executeEc2Action(
  action: Ec2CloudAction,
  deployment: Ec2State,
  situation: ActionContext,
): Promise<Ec2State> {
  const { clock, pace } = situation
  switch (action.do) {
    case 'prepare':
      return prepare(deployment, situation)
    case 'look':
      return selectNextWave(deployment, await membersOf(deployment, situation), pace, clock())
    case 'lend':
      return grantAccess(deployment, situation)
    case 'send':
      return send(deployment, situation)
    case 'find':
      return find(deployment, situation)
    case 'observe':
      return observe(deployment, situation)
    case 'stop':
      return stop(deployment, situation)
    case 'publish':
      return publish(deployment, situation)
    case 'withdraw':
      return withdraw(deployment, situation)
  }
}

async function prepare(deployment: Ec2State, situation: ActionContext): Promise<Ec2State> {
  const { clients, clock } = situation
  const { release } = deployment
  const [group, current, imageDigest] = await Promise.all([
    readGroup(clients.autoScaling, release.autoScalingGroupName),
    readGroupRelease(clients.ssm, releaseParameterOf(release)),
    digestNow(release, situation),
  ])
  const members = group.members.map((member) => ({ ...member, isReachable: false }))
  return onPrepared(deployment, { ...group, members, ...present({ current, imageDigest }) }, clock())
}

/**
 * Returns the image's current digest. Each instance pulls the image at its own time, and the digest makes all of them
 * pull the same one.
 */
async function digestNow({ definition }: Ec2Release, { clients, forShow }: ActionContext): Promise<string | undefined> {
  const image = definition.runtime === 'container' ? taggedImage(definition.imageUri) : undefined
  return image && forShow(() => digestOfTag(clients.images, image))
}

async function membersOf({ release }: Ec2State, { clients }: ActionContext): Promise<Member[]> {
  const { members } = await readGroup(clients.autoScaling, release.autoScalingGroupName)
  const reachable = await readAgents(
    clients.ssm,
    members.map(({ instanceId }) => instanceId),
  )
  return members.map((member) => ({ ...member, isReachable: reachable.has(member.instanceId) }))
}

/**
 * Stores the credential in a secure parameter. Parameters of a command would be visible with the command for a month.
 * Instances read the secure parameter with their own role, so that neither the command nor its output contains the
 * credential.
 */
async function grantAccess(deployment: Ec2State, situation: ActionContext): Promise<Ec2State> {
  const { clients, clock, beforeSend, lendAccess } = situation
  const { id, release } = deployment
  const { source } = releaseOfWave(deployment, waveOf(deployment))
  if (!source) throw new Error(`deployment ${id} has no source to lend access to`)
  const access = await lendAccess(source.repo)
  if (access && 'refused' in access) {
    return onAccessRefused(deployment, sourceNotReadable(release, source.repo, access.refused), clock())
  }
  if (!access) return onCredentialStored(deployment, undefined, clock())
  const { credential, freshUntil } = access
  beforeSend()
  await writeSecret(clients.ssm, credentialParameterOf(id, release), asGitReads(credential))
  return onCredentialStored(deployment, freshUntil, clock())
}

/** Formats a credential as a Git credential helper returns it: git-scm.com/docs/git-credential. */
const asGitReads = ({ username, password }: ReadAccess['credential']) => `username=${username}\npassword=${password}\n`

async function withdraw(deployment: Ec2State, { clients, clock, beforeSend }: ActionContext): Promise<Ec2State> {
  if (credentialInFlightMs(deployment, clock()) > 0) return awaitCredential(deployment, clock())
  beforeSend()
  await removeParameter(clients.ssm, credentialParameterOf(deployment.id, deployment.release))
  return onCredentialDeleted(deployment, clock())
}

async function send(deployment: Ec2State, { clients, clock, beforeSend }: ActionContext): Promise<Ec2State> {
  const wave = waveOf(deployment)
  const most = wave.instanceIds.length
  const credential =
    wave.freshUntil === undefined ? undefined : credentialParameterOf(deployment.id, deployment.release)
  beforeSend()
  const commandId = await sendCommand(clients.ssm, {
    documentName: documentNameOf(deployment.release),
    comment: commentOf(deployment, wave),
    instanceIds: wave.instanceIds,
    parameters: commandParametersOf(releaseOfWave(deployment, wave), credential),
    concurrencyMax: Math.min(most, deployment.data.concurrencyMax ?? 1),
    // A rollback continues with the remaining instances after failures.
    errorsMax: wave.purpose === 'return' ? most : errorsLeft(deployment),
  })
  return onCommandSent(deployment, commandId, clock())
}

async function find(deployment: Ec2State, { clients, pace, clock }: ActionContext): Promise<Ec2State> {
  const { release, startedAt } = deployment
  const since = startedAt ?? clock()
  const commandId = await findCommand(
    clients.ssm,
    documentNameOf(release),
    commentOf(deployment, waveOf(deployment)),
    since,
  )
  return commandId === undefined
    ? onCommandNotFound(deployment, pace, clock())
    : onCommandSent(deployment, commandId, clock())
}

async function observe(deployment: Ec2State, { clients, pace, clock, beforeSend }: ActionContext): Promise<Ec2State> {
  const { commandId = '' } = waveOf(deployment)
  const [command, group] = await Promise.all([
    readCommand(clients.ssm, commandId),
    readGroup(clients.autoScaling, deployment.release.autoScalingGroupName),
  ])
  const members = group.members.map(({ instanceId }) => instanceId)
  const left = departedInstances(command, members)
  if (!command.isOver && left.length > 0) {
    beforeSend()
    await cancelCommand(clients.ssm, commandId, left)
  }
  return onObserved(deployment, command, members, pace, clock())
}

/** Ends the command. Reads it first, because a finished command must not be ended. */
async function stop(deployment: Ec2State, { clients, clock, beforeSend }: ActionContext): Promise<Ec2State> {
  const { commandId = '' } = waveOf(deployment)
  const command = await readCommand(clients.ssm, commandId)
  if (!command.isOver) {
    beforeSend()
    await cancelCommand(clients.ssm, commandId)
  }
  return onStopRequested(deployment, clock())
}

/** Publishes the release for instances that start later. Reads it first, and writes only a difference. */
async function publish(deployment: Ec2State, situation: ActionContext): Promise<Ec2State> {
  const { clients, clock, beforeSend } = situation
  const { id, release, progress, data } = deployment
  const parameter = releaseParameterOf(release)
  const wanted = progress.back ? data.previousRelease : fixedRelease(deployment)
  if (!wanted) throw new Error(`deployment ${id} has no release to write down`)
  const current = await readGroupRelease(clients.ssm, parameter)
  if (current?.deploymentId !== wanted.deploymentId) {
    beforeSend()
    await writeGroupRelease(clients.ssm, parameter, wanted)
  }
  const { members } = await readGroup(clients.autoScaling, release.autoScalingGroupName)
  return onPublished(
    deployment,
    members.map((member) => ({ ...member, isReachable: false })),
    clock(),
  )
}

/**
 * Returns the comment that identifies the command if the response was lost, because the request has no idempotency
 * token.
 */
const commentOf = ({ id }: Ec2State, { number }: Wave): string => `sluice ${id} ${number}`

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
import type { Loan } from '../../../../git/adapter/host.ts'
import { present } from '../../../../platform/present.ts'
import type { Situation } from '../../execution/execute.ts'
import { lendingRefused } from './endings.ts'
import { sourceNotReadable } from './failures.ts'
import { awaitLent, lent, untilLentMs, withdrawn } from './loan.ts'
import { type Ec2CloudAction, errorsLeft, notSent, prepared, published, sent, stopSent } from './machine.ts'
import { observed, strays } from './observe.ts'
import { looked } from './poll.ts'
import type { Wave } from './progress.ts'
import {
  commandParametersOf,
  credentialParameterOf,
  documentNameOf,
  type Ec2Release,
  releaseParameterOf,
} from './release.ts'
import type { Ec2Standing } from './state.ts'
import { broughtBy, releasedBy, waveOf } from './wave.ts'

/**
 * Executes one action in the cloud and returns the state of the deployment after it.
 * @throws errors of the cloud, permanent and transient
 */
export async function carryOut(
  action: Ec2CloudAction,
  standing: Ec2Standing,
  situation: Situation,
): Promise<Ec2Standing> {
  const { clock, pace } = situation
  switch (action.do) {
    case 'prepare':
      return prepare(standing, situation)
    case 'look':
      return looked(standing, await membersOf(standing, situation), pace, clock())
    case 'lend':
      return lend(standing, situation)
    case 'send':
      return send(standing, situation)
    case 'find':
      return find(standing, situation)
    case 'observe':
      return observe(standing, situation)
    case 'stop':
      return stop(standing, situation)
    case 'publish':
      return publish(standing, situation)
    case 'withdraw':
      return withdraw(standing, situation)
  }
}

async function prepare(standing: Ec2Standing, situation: Situation): Promise<Ec2Standing> {
  const { clients, clock } = situation
  const { release } = standing
  const [group, current, imageDigest] = await Promise.all([
    readGroup(clients.autoScaling, release.autoScalingGroupName),
    readGroupRelease(clients.ssm, releaseParameterOf(release)),
    digestNow(release, situation),
  ])
  const members = group.members.map((member) => ({ ...member, isReachable: false }))
  return prepared(standing, { ...group, members, ...present({ current, imageDigest }) }, clock())
}

/**
 * Returns the image's current digest. Each instance pulls the image at its own time, and the digest makes all of them
 * pull the same one.
 */
async function digestNow({ definition }: Ec2Release, { clients, forShow }: Situation): Promise<string | undefined> {
  const image = definition.runtime === 'container' ? taggedImage(definition.imageUri) : undefined
  return image && forShow(() => digestOfTag(clients.images, image))
}

async function membersOf({ release }: Ec2Standing, { clients }: Situation): Promise<Member[]> {
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
async function lend(standing: Ec2Standing, situation: Situation): Promise<Ec2Standing> {
  const { clients, clock, beforeSend, lendAccess } = situation
  const { id, release } = standing
  const { source } = broughtBy(standing, waveOf(standing))
  if (!source) throw new Error(`deployment ${id} has no source to lend access to`)
  const access = await lendAccess(source.repo)
  if (access && 'refused' in access) {
    return lendingRefused(standing, sourceNotReadable(release, source.repo, access.refused), clock())
  }
  if (!access) return lent(standing, undefined, clock())
  const { credential, freshUntil } = access
  beforeSend()
  await writeSecret(clients.ssm, credentialParameterOf(id, release), asGitReads(credential))
  return lent(standing, freshUntil, clock())
}

/** Formats a credential as a Git credential helper returns it: git-scm.com/docs/git-credential. */
const asGitReads = ({ username, password }: Loan['credential']) => `username=${username}\npassword=${password}\n`

async function withdraw(standing: Ec2Standing, { clients, clock, beforeSend }: Situation): Promise<Ec2Standing> {
  if (untilLentMs(standing, clock()) > 0) return awaitLent(standing, clock())
  beforeSend()
  await removeParameter(clients.ssm, credentialParameterOf(standing.id, standing.release))
  return withdrawn(standing, clock())
}

async function send(standing: Ec2Standing, { clients, clock, beforeSend }: Situation): Promise<Ec2Standing> {
  const wave = waveOf(standing)
  const most = wave.instanceIds.length
  const credential = wave.freshUntil === undefined ? undefined : credentialParameterOf(standing.id, standing.release)
  beforeSend()
  const commandId = await sendCommand(clients.ssm, {
    documentName: documentNameOf(standing.release),
    comment: commentOf(standing, wave),
    instanceIds: wave.instanceIds,
    parameters: commandParametersOf(broughtBy(standing, wave), credential),
    concurrencyMax: Math.min(most, standing.data.concurrencyMax ?? 1),
    // A rollback continues with the remaining instances after failures.
    errorsMax: wave.purpose === 'return' ? most : errorsLeft(standing),
  })
  return sent(standing, commandId, clock())
}

async function find(standing: Ec2Standing, { clients, pace, clock }: Situation): Promise<Ec2Standing> {
  const { release, startedAt } = standing
  const since = startedAt ?? clock()
  const commandId = await findCommand(
    clients.ssm,
    documentNameOf(release),
    commentOf(standing, waveOf(standing)),
    since,
  )
  return commandId === undefined ? notSent(standing, pace, clock()) : sent(standing, commandId, clock())
}

async function observe(standing: Ec2Standing, { clients, pace, clock, beforeSend }: Situation): Promise<Ec2Standing> {
  const { commandId = '' } = waveOf(standing)
  const [command, group] = await Promise.all([
    readCommand(clients.ssm, commandId),
    readGroup(clients.autoScaling, standing.release.autoScalingGroupName),
  ])
  const members = group.members.map(({ instanceId }) => instanceId)
  const left = strays(command, members)
  if (!command.isOver && left.length > 0) {
    beforeSend()
    await cancelCommand(clients.ssm, commandId, left)
  }
  return observed(standing, command, members, pace, clock())
}

/** Ends the command. Reads it first, because a finished command must not be ended. */
async function stop(standing: Ec2Standing, { clients, clock, beforeSend }: Situation): Promise<Ec2Standing> {
  const { commandId = '' } = waveOf(standing)
  const command = await readCommand(clients.ssm, commandId)
  if (!command.isOver) {
    beforeSend()
    await cancelCommand(clients.ssm, commandId)
  }
  return stopSent(standing, clock())
}

/** Publishes the release for instances that start later. Reads it first, and writes only a difference. */
async function publish(standing: Ec2Standing, situation: Situation): Promise<Ec2Standing> {
  const { clients, clock, beforeSend } = situation
  const { id, release, progress, data } = standing
  const parameter = releaseParameterOf(release)
  const wanted = progress.back ? data.previousRelease : releasedBy(standing)
  if (!wanted) throw new Error(`deployment ${id} has no release to write down`)
  const current = await readGroupRelease(clients.ssm, parameter)
  if (current?.deploymentId !== wanted.deploymentId) {
    beforeSend()
    await writeGroupRelease(clients.ssm, parameter, wanted)
  }
  const { members } = await readGroup(clients.autoScaling, release.autoScalingGroupName)
  return published(
    standing,
    members.map((member) => ({ ...member, isReachable: false })),
    clock(),
  )
}

/**
 * Returns the comment that identifies the command if the response was lost, because the request has no idempotency
 * token.
 */
const commentOf = ({ id }: Ec2Standing, { number }: Wave): string => `sluice ${id} ${number}`

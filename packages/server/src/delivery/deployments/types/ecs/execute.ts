import { readAlarms } from '../../../../cloud/adapter/alarms.ts'
import { CloudRefusal, CloudTrouble } from '../../../../cloud/adapter/answer.ts'
import { diagnose } from '../../../../cloud/adapter/diagnose.ts'
import { readListeners, readProductionTraffic, readRuleTraffic } from '../../../../cloud/adapter/ecs/load-balancers.ts'
import { findMissingParts } from '../../../../cloud/adapter/ecs/release-parts.ts'
import {
  continueHook,
  findServiceDeployment,
  readServiceDeployment,
  stopServiceDeployment,
} from '../../../../cloud/adapter/ecs/service-deployments.ts'
import { findUpdate, readService, type UpdateRequest, updateService } from '../../../../cloud/adapter/ecs/services.ts'
import {
  findTaskDefinition,
  isRegistered,
  launchVolumesOf,
  readTaskDefinition,
  registerTaskDefinition,
  registrationOf,
} from '../../../../cloud/adapter/ecs/task-definitions.ts'
import { lastLines } from '../../../../cloud/adapter/ecs/task-logs.ts'
import {
  type CommandRequest,
  findCommand,
  readCommand,
  runCommand,
  stopCommand,
} from '../../../../cloud/adapter/ecs/tasks.ts'
import type { Unchecked } from '../../../../cloud/facts/ecs.ts'
import { present } from '../../../../platform/present.ts'
import { measure } from '../../analysis/measure.ts'
import { measuredSince, mustMeasure } from '../../analysis/standing.ts'
import type { Situation } from '../../execution/execute.ts'
import { analysed } from './analysis.ts'
import { commandAt, commandNotFound, commandRuns, commandSeen, commandStopSent } from './command.ts'
import { mustReadRules, shiftedPairsOf } from './listener-rules.ts'
import {
  definitionNotFound,
  type EcsCloudAction,
  located,
  notFound,
  notYetLocated,
  prepared,
  recordToRelease,
  registerAgain,
  registered,
  stopSent,
  updated,
} from './machine.ts'
import { continued, needsDiagnosis, type Observation, observed, trafficMayHaveMoved } from './observe.ts'
import { withoutDetours } from './revert.ts'
import { alarmNamesOf, pairsOfRelease } from './service-checks.ts'
import type { EcsStanding } from './state.ts'

/**
 * Executes one action in the cloud and returns the state of the deployment after it.
 * @throws errors of the cloud, permanent and transient
 */
export async function carryOut(
  action: EcsCloudAction,
  standing: EcsStanding,
  situation: Situation,
): Promise<EcsStanding> {
  const { clock } = situation
  switch (action.do) {
    case 'prepare':
      return prepare(standing, situation)
    case 'register':
      return register(standing, situation)
    case 'find-definition':
      return findDefinition(standing, situation)
    case 'update':
      return update(standing, situation)
    case 'find':
      return find(standing, situation)
    case 'locate':
      return locate(standing, situation)
    case 'observe':
      return observed(standing, await look(standing, situation), situation.pace, clock())
    case 'measure':
      return measureChecks(standing, situation)
    case 'continue':
      return goOnFrom(standing, action.hookId, situation)
    case 'stop':
      return stop(standing, situation)
    case 'run-command':
      return run(standing, action.look, situation)
    case 'find-command':
      return findTask(standing, situation)
    case 'watch-command':
      return watch(standing, situation)
    case 'stop-command':
      return stopTask(standing, situation)
  }
}

async function prepare(standing: EcsStanding, situation: Situation): Promise<EcsStanding> {
  const { clients, pace, clock, forShow, checkStart } = situation
  const facts = await readService(clients.ecs, standing.release, clock())
  const { primary } = facts
  const { taskDefinition, region } = standing.release
  const pairs = pairsOfRelease(standing.release, facts)
  const alarmNames = alarmNamesOf(standing.release, facts)
  const record = 'reuse' in taskDefinition ? recordToRelease(standing) : undefined
  const [current, isDeregistered, missing, checks, traffic, alarms] = await Promise.all([
    primary && forShow(() => readTaskDefinition(clients.ecs, primary.taskDefinitionArn)),
    'reuse' in taskDefinition && isRegistered(clients.ecs, taskDefinition.reuse.arn).then((is) => !is),
    record && forShow(() => findMissingParts(clients, record, { region, now: clock() })),
    checkStart(clients, standing.release, clock()),
    pairs.length > 0
      ? readUnlessTroubled(standing, rulePermissions, () => readProductionTraffic(clients.elb, pairs))
      : undefined,
    alarmNames.length > 0
      ? readUnlessTroubled(standing, alarmPermissions, () => readAlarms(clients.metrics, alarmNames))
      : undefined,
  ])
  return prepared(
    standing,
    present({ ...facts, current, isDeregistered, missing, checks, traffic, alarms }),
    pace,
    clock(),
  )
}

const alarmPermissions = 'cloudwatch:DescribeAlarms'
const rulePermissions = 'elasticloadbalancing:DescribeRules and elasticloadbalancing:DescribeListeners'

/**
 * Reads something that a release can do without. Throws transient errors, so that the step is retried, up to a limit.
 * After that, and for permanent errors, returns why it could not be read.
 */
async function readUnlessTroubled<T>(
  { progress }: EcsStanding,
  permissions: string,
  read: () => Promise<T>,
): Promise<T | Unchecked> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof CloudRefusal) {
      const isDenied = error.reason.startsWith('AccessDenied')
      const remedy = isDenied ? ` The connected role needs ${permissions}.` : ''
      return { unchecked: `${asSentence(error.message)}${remedy}` }
    }
    if (!(error instanceof CloudTrouble) || progress.troubles < maxReadTroubles) throw error
    return { unchecked: asSentence(error.message) }
  }
}

const asSentence = (text: string): string => `${text.trim().replace(/\.$/, '')}.`

async function register(standing: EcsStanding, { clients, clock, beforeSend }: Situation): Promise<EcsStanding> {
  beforeSend()
  const record = await registerTaskDefinition(clients.ecs, definitionOf(standing), registrationIdOf(standing))
  return registered(standing, record, clock())
}

async function findDefinition(standing: EcsStanding, { clients, pace, clock }: Situation): Promise<EcsStanding> {
  const { family } = definitionOf(standing)
  const found = await findTaskDefinition(clients.ecs, String(family), registrationIdOf(standing))
  return found === undefined ? definitionNotFound(standing, pace, clock()) : registered(standing, found, clock())
}

/** Returns the request that registers the task definition of the release. */
function definitionOf(standing: EcsStanding): Record<string, unknown> {
  const { id, progress, release } = standing
  const { taskDefinition } = release
  const register = 'reuse' in taskDefinition ? taskDefinition.reuse.register : taskDefinition.register
  if (register && !progress.isReverting) return register
  const record = recordToRelease(standing)
  if (!record) throw new Error(`deployment ${id} has nothing to register`)
  return registrationOf(record)
}

/**
 * Returns the id by which a registration is found if its response was lost. A revert has another id than the release.
 */
const registrationIdOf = ({ id, progress }: EcsStanding): string => (progress.isReverting ? `${id}/revert` : id)

async function update(standing: EcsStanding, { clients, pace, clock, beforeSend }: Situation): Promise<EcsStanding> {
  try {
    return updated(standing, await updateService(clients.ecs, updateOf(standing), beforeSend), pace, clock())
  } catch (error) {
    const mayRegisterAgain = recordToRelease(standing) !== undefined && !standing.progress.isRegisteringAgain
    if (!(error instanceof CloudRefusal) || !mayRegisterAgain) throw error
    if (await isRegistered(clients.ecs, standing.progress.taskDefinitionArn ?? '')) throw error
    return registerAgain(standing, clock())
  }
}

async function find(standing: EcsStanding, { clients, pace, clock }: Situation): Promise<EcsStanding> {
  const found = await findUpdate(clients.ecs, updateOf(standing))
  return found === undefined ? notFound(standing, pace, clock()) : updated(standing, found, pace, clock())
}

function updateOf(standing: EcsStanding): UpdateRequest {
  const { id, progress } = standing
  const { taskDefinitionArn, primaryBefore: before, newestBefore } = progress
  if (taskDefinitionArn === undefined) throw new Error(`deployment ${id} has no task definition`)
  const release = progress.isReverting ? withoutDetours(standing.release) : standing.release
  return { release, taskDefinitionArn, before, newestBefore, since: begunAt(standing) }
}

/** Returns when Sluice started to bring the service to its target. */
function begunAt({ id, data, startedAt }: EcsStanding): Date {
  if (data.revertRequestedAt !== undefined) return new Date(data.revertRequestedAt)
  if (startedAt === null) throw new Error(`deployment ${id} has not started`)
  return startedAt
}

async function locate(standing: EcsStanding, { clients, pace, clock }: Situation): Promise<EcsStanding> {
  const { release, externalDeploymentId, data, progress } = standing
  const id = progress.isReverting ? data.revertExternalDeploymentId : externalDeploymentId
  const since = begunAt(standing)
  const arn = await findServiceDeployment(clients.ecs, release, { externalDeploymentId: id ?? '', since })
  return arn === undefined ? notYetLocated(standing, pace, clock()) : located(standing, arn, clock())
}

/** Maximum number of consecutive failed reads, after which a release continues without the data. */
const maxReadTroubles = 3

async function look(
  standing: EcsStanding,
  { clients, isTold = false, clock, forShow }: Situation,
): Promise<Observation> {
  const { release, data, externalDeploymentId, progress } = standing
  const arn = progress.isReverting ? data.revertServiceDeploymentArn : data.serviceDeploymentArn
  const snapshot = await readServiceDeployment(clients.ecs, arn ?? '', clock())
  if (progress.isReverting) return { snapshot, isTold }
  const pairs = shiftedPairsOf(standing)
  const mustReadListeners = pairs.length > 0 && trafficMayHaveMoved(standing, snapshot)
  const { primaryBefore } = progress
  const [listeners, rules, previous, diagnosis] = await Promise.all([
    mustReadListeners ? forShow(() => readListeners(clients.elb, pairs, clock())) : undefined,
    mustReadRules(standing, snapshot) ? forShow(() => readRuleTraffic(clients.elb, pairs)) : undefined,
    primaryBefore && data.previousTaskDefinition === undefined
      ? forShow(() => readTaskDefinition(clients.ecs, primaryBefore.taskDefinitionArn))
      : undefined,
    needsDiagnosis(standing, snapshot)
      ? diagnose(clients, {
          release,
          trafficShifts: pairs,
          externalDeploymentId: externalDeploymentId ?? '',
          definition: data.deployedTaskDefinition,
          // A release that must be stopped does not wait for diagnostic data.
          leavesOutTroubled: progress.troubles >= maxReadTroubles || progress.stop?.sent === false,
        })
      : undefined,
  ])
  const hasMissedListeners = mustReadListeners && listeners === undefined
  return present({ snapshot, listeners, hasMissedListeners, rules, previous, diagnosis, isTold })
}

/** Measures the checks. Polls first, because the measurements belong to the current point of the release. */
async function measureChecks(standing: EcsStanding, situation: Situation): Promise<EcsStanding> {
  const { clients, pace, clock, sendOutbound } = situation
  const seen = observed(standing, await look(standing, situation), pace, clock())
  const { analysis } = seen.release
  if (!analysis || seen.status !== 'IN_PROGRESS' || !mustMeasure(seen, clock())) return seen
  const instruments = { metrics: clients.metrics, sendOutbound, since: measuredSince(seen), now: clock() }
  const measurements = await measure(analysis, instruments)
  return analysed(seen, measurements, clock())
}

/** Continues a pause. Polls first: the pause may have ended, or an earlier attempt may have succeeded. */
async function goOnFrom(standing: EcsStanding, hookId: string, situation: Situation): Promise<EcsStanding> {
  const { clients, pace, clock, beforeSend } = situation
  const observation = await look(standing, situation)
  const isWaiting = observation.snapshot.hooks.some(
    (hook) => hook.hookId === hookId && hook.status === 'AWAITING_ACTION',
  )
  const seen = observed(standing, observation, pace, clock())
  if (!isWaiting || seen.status !== 'IN_PROGRESS') return seen
  beforeSend()
  await continueHook(clients.ecs, standing.data.serviceDeploymentArn ?? '', hookId)
  return continued(seen, hookId, clock())
}

/** Stops the release. Polls first: a release that has ended or is rolling back must not be stopped. */
async function stop(standing: EcsStanding, situation: Situation): Promise<EcsStanding> {
  const { clients, pace, clock, beforeSend } = situation
  const observation = await look(standing, situation)
  const seen = observed(standing, observation, pace, clock())
  if (!stoppable.includes(observation.snapshot.state.status)) return seen
  beforeSend()
  try {
    await stopServiceDeployment(clients.ecs, standing.data.serviceDeploymentArn ?? '')
  } catch (error) {
    if (!(error instanceof CloudRefusal) || error.reason === 'AccessDeniedException') throw error
  }
  return stopSent(seen, clock())
}

const stoppable = ['PENDING', 'IN_PROGRESS', 'STOP_REQUESTED']

/** Starts the command. A second attempt first checks whether the first one succeeded. */
async function run(
  standing: EcsStanding,
  mayBeDone: boolean,
  { clients, clock, beforeSend }: Situation,
): Promise<EcsStanding> {
  const request = commandRequestOf(standing)
  const done = mayBeDone ? await findCommand(clients.ecs, request) : undefined
  return commandRuns(standing, done ?? (await runCommand(clients.ecs, request, beforeSend)), clock())
}

function commandRequestOf(standing: EcsStanding): CommandRequest {
  const { id, release, progress, data } = standing
  if (progress.taskDefinitionArn === undefined) throw new Error(`deployment ${id} has no task definition`)
  const { command, name } = commandAt(standing)
  const launchVolumes = launchVolumesOf(data.deployedTaskDefinition)
  return { place: release, command, taskDefinitionArn: progress.taskDefinitionArn, name, launchVolumes }
}

async function findTask(standing: EcsStanding, { clients, pace, clock }: Situation): Promise<EcsStanding> {
  const found = await findCommand(clients.ecs, commandRequestOf(standing))
  return found === undefined ? commandNotFound(standing, pace, clock()) : commandRuns(standing, found, clock())
}

async function watch(standing: EcsStanding, { clients, pace, clock }: Situation): Promise<EcsStanding> {
  const { taskArn = '' } = standing.progress.command ?? {}
  const { container } = commandAt(standing).command
  const task = await readCommand(clients.ecs, standing.release, taskArn, container)
  const hasFailed = task?.hasEnded && task.exitCode !== 0
  const { deployedTaskDefinition } = standing.data
  const log = hasFailed ? await lastLines(clients.logs, deployedTaskDefinition, container, taskArn) : []
  return commandSeen(standing, task && { ...task, log }, pace, clock())
}

/** Stops the command's task, unless it has ended. The next poll finds out. */
async function stopTask(standing: EcsStanding, { clients, clock, beforeSend }: Situation): Promise<EcsStanding> {
  const { taskArn = '', stop } = standing.progress.command ?? {}
  const why = stop?.because === 'timeout' ? 'took too long' : 'was given up'
  beforeSend()
  try {
    await stopCommand(clients.ecs, standing.release, taskArn, `Sluice deployment ${standing.id}: the command ${why}.`)
  } catch (error) {
    if (!(error instanceof CloudRefusal) || error.reason === 'AccessDeniedException') throw error
  }
  return commandStopSent(standing, clock())
}

import { readAlarms } from '../../../../cloud/adapter/alarms.ts'
import { CloudPermanentError, CloudTransientError } from '../../../../cloud/adapter/cloud-call.ts'
import { diagnose } from '../../../../cloud/adapter/diagnose.ts'
import { readListeners, readProductionTraffic, readRuleTraffic } from '../../../../cloud/adapter/ecs/load-balancers.ts'
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
  readTags,
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
import { measuredSince, mustMeasure } from '../../analysis/state.ts'
import type { ActionContext } from '../../execution/execute.ts'
import { applyMeasurements } from './analysis.ts'
import { commandAt, onCommandNotFound, onCommandObserved, onCommandStarted, onCommandStopRequested } from './command.ts'
import { mustReadRules, shiftedTargetGroupPairs } from './listener-rules.ts'
import {
  type EcsCloudAction,
  onDefinitionNotFound,
  onLocated,
  onNotLocated,
  onPrepared,
  onRegistered,
  onStopRequested,
  onUpdateAccepted,
  onUpdateNotFound,
  recordToRelease,
  registerAgain,
} from './machine.ts'
import { needsDiagnosis, type Observation, onObserved, onPauseContinued, trafficMayHaveMoved } from './observe.ts'
import { noteMissingParts, withoutOptionalStages } from './revert.ts'
import { alarmNamesOf, pairsOfRelease } from './service-checks.ts'
import type { EcsState } from './state.ts'

/**
 * Executes one action in the cloud and returns the state of the deployment after it.
 * @throws errors of the cloud, permanent and transient
 */
export async function executeEcsAction(
  action: EcsCloudAction,
  deployment: EcsState,
  situation: ActionContext,
): Promise<EcsState> {
  const { clock } = situation
  switch (action.do) {
    case 'prepare':
      return prepare(deployment, situation)
    case 'register':
      return register(deployment, situation)
    case 'find-definition':
      return findDefinition(deployment, situation)
    case 'update':
      return update(deployment, situation)
    case 'find':
      return find(deployment, situation)
    case 'locate':
      return locate(deployment, situation)
    case 'observe':
      return onObserved(deployment, await pollRelease(deployment, situation), situation.pace, clock())
    case 'measure':
      return measureChecks(deployment, situation)
    case 'continue':
      return continueFrom(deployment, action.hookId, situation)
    case 'stop':
      return stop(deployment, situation)
    case 'run-command':
      return run(deployment, action.look, situation)
    case 'find-command':
      return findTask(deployment, situation)
    case 'watch-command':
      return watch(deployment, situation)
    case 'stop-command':
      return stopTask(deployment, situation)
  }
}

async function prepare(deployment: EcsState, situation: ActionContext): Promise<EcsState> {
  const { clients, pace, clock, forShow, checkStart, findMissingParts } = situation
  const facts = await readService(clients.ecs, deployment.release, clock())
  const { primary } = facts
  const { taskDefinition, region } = deployment.release
  const pairs = pairsOfRelease(deployment.release, facts)
  const alarmNames = alarmNamesOf(deployment.release, facts)
  const record = 'reuse' in taskDefinition ? recordToRelease(deployment) : undefined
  const [current, isDeregistered, missing, checks, traffic, alarms] = await Promise.all([
    primary && forShow(() => readTaskDefinition(clients.ecs, primary.taskDefinitionArn)),
    'reuse' in taskDefinition && isRegistered(clients.ecs, taskDefinition.reuse.arn).then((is) => !is),
    record && forShow(() => findMissingParts(clients, record, { region, now: clock() })),
    checkStart(clients, deployment.release, clock()),
    pairs.length > 0
      ? readOptional(deployment, rulePermissions, () => readProductionTraffic(clients.elb, pairs))
      : undefined,
    alarmNames.length > 0
      ? readOptional(deployment, alarmPermissions, () => readAlarms(clients.metrics, alarmNames))
      : undefined,
  ])
  return onPrepared(
    deployment,
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
async function readOptional<T>(
  { progress }: EcsState,
  permissions: string,
  read: () => Promise<T>,
): Promise<T | Unchecked> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof CloudPermanentError) {
      const isDenied = error.reason.startsWith('AccessDenied')
      const remedy = isDenied ? ` The connected role needs ${permissions}.` : ''
      return { unchecked: `${asSentence(error.message)}${remedy}` }
    }
    if (!(error instanceof CloudTransientError) || progress.troubles < maxReadTroubles) throw error
    return { unchecked: asSentence(error.message) }
  }
}

const asSentence = (text: string): string => `${text.trim().replace(/\.$/, '')}.`

async function register(deployment: EcsState, situation: ActionContext): Promise<EcsState> {
  const { clients, clock, beforeSend } = situation
  const definition = await withRecordedTags(deployment, situation)
  beforeSend()
  const record = await registerTaskDefinition(clients.ecs, definition, registrationIdOf(deployment))
  return onRegistered(deployment, record, clock())
}

/** Returns the request to register, with the tags of the revision that it replaces. Records do not contain them. */
async function withRecordedTags(
  deployment: EcsState,
  { clients, forShow }: ActionContext,
): Promise<Record<string, unknown>> {
  const definition = definitionOf(deployment)
  const record = recordToRelease(deployment)
  if (!record || definition.tags !== undefined) return definition
  const tags = await forShow(() => readTags(clients.ecs, record.arn))
  return present({ ...definition, tags })
}

async function findDefinition(deployment: EcsState, { clients, pace, clock }: ActionContext): Promise<EcsState> {
  const { family } = definitionOf(deployment)
  const found = await findTaskDefinition(clients.ecs, String(family), registrationIdOf(deployment))
  return found === undefined
    ? onDefinitionNotFound(deployment, pace, clock())
    : onRegistered(deployment, found, clock())
}

/** Returns the request that registers the task definition of the release. */
function definitionOf(deployment: EcsState): Record<string, unknown> {
  const { id, progress, release } = deployment
  const { taskDefinition } = release
  const register = 'reuse' in taskDefinition ? taskDefinition.reuse.register : taskDefinition.register
  if (register && !progress.isReverting) return register
  const record = recordToRelease(deployment)
  if (!record) throw new Error(`deployment ${id} has nothing to register`)
  return registrationOf(record)
}

/**
 * Returns the id by which a registration is found if its response was lost. A revert has another id than the release.
 */
const registrationIdOf = ({ id, progress }: EcsState): string => (progress.isReverting ? `${id}/revert` : id)

async function update(given: EcsState, situation: ActionContext): Promise<EcsState> {
  const { clients, pace, clock, beforeSend } = situation
  const deployment = await warnBeforeRevert(given, situation)
  try {
    return onUpdateAccepted(
      deployment,
      await updateService(clients.ecs, updateOf(deployment), beforeSend),
      pace,
      clock(),
    )
  } catch (error) {
    const mayRegisterAgain = recordToRelease(deployment) !== undefined && !deployment.progress.isRegisteringAgain
    if (!(error instanceof CloudPermanentError) || !mayRegisterAgain) throw error
    if (await isRegistered(clients.ecs, deployment.progress.taskDefinitionArn ?? '')) throw error
    return registerAgain(deployment, clock())
  }
}

/** Adds warnings about missing parts of the version that a revert restores, once. */
async function warnBeforeRevert(
  deployment: EcsState,
  { clients, clock, forShow, findMissingParts }: ActionContext,
): Promise<EcsState> {
  const { isReverting, isRegisteringAgain } = deployment.progress
  const record = recordToRelease(deployment)
  if (!isReverting || isRegisteringAgain || !record) return deployment
  const { region } = deployment.release
  const missing = await forShow(() => findMissingParts(clients, record, { region, now: clock() }))
  return missing ? noteMissingParts(deployment, missing, clock()) : deployment
}

async function find(deployment: EcsState, { clients, pace, clock }: ActionContext): Promise<EcsState> {
  const found = await findUpdate(clients.ecs, updateOf(deployment))
  return found === undefined
    ? onUpdateNotFound(deployment, pace, clock())
    : onUpdateAccepted(deployment, found, pace, clock())
}

function updateOf(deployment: EcsState): UpdateRequest {
  const { id, progress } = deployment
  const { taskDefinitionArn, primaryBefore: before, newestBefore } = progress
  if (taskDefinitionArn === undefined) throw new Error(`deployment ${id} has no task definition`)
  const release = progress.isReverting ? withoutOptionalStages(deployment.release) : deployment.release
  return { release, taskDefinitionArn, before, newestBefore, since: updateStartedAt(deployment) }
}

/** Returns when Sluice started to bring the service to its target. */
function updateStartedAt({ id, data, startedAt }: EcsState): Date {
  if (data.revertRequestedAt !== undefined) return new Date(data.revertRequestedAt)
  if (startedAt === null) throw new Error(`deployment ${id} has not started`)
  return startedAt
}

async function locate(deployment: EcsState, { clients, pace, clock }: ActionContext): Promise<EcsState> {
  const { release, externalDeploymentId, data, progress } = deployment
  const id = progress.isReverting ? data.revertExternalDeploymentId : externalDeploymentId
  const since = updateStartedAt(deployment)
  const arn = await findServiceDeployment(clients.ecs, release, { externalDeploymentId: id ?? '', since })
  return arn === undefined ? onNotLocated(deployment, pace, clock()) : onLocated(deployment, arn, clock())
}

/** Maximum number of consecutive failed reads, after which a release continues without the data. */
const maxReadTroubles = 3

async function pollRelease(
  deployment: EcsState,
  { clients, isTold = false, clock, forShow }: ActionContext,
): Promise<Observation> {
  const { release, data, externalDeploymentId, progress } = deployment
  const arn = progress.isReverting ? data.revertServiceDeploymentArn : data.serviceDeploymentArn
  const snapshot = await readServiceDeployment(clients.ecs, arn ?? '', clock())
  if (progress.isReverting) return { snapshot, isTold }
  const pairs = shiftedTargetGroupPairs(deployment)
  const mustReadListeners = pairs.length > 0 && trafficMayHaveMoved(deployment, snapshot)
  const { primaryBefore } = progress
  const [listeners, rules, previous, diagnosis] = await Promise.all([
    mustReadListeners ? forShow(() => readListeners(clients.elb, pairs, clock())) : undefined,
    mustReadRules(deployment, snapshot) ? forShow(() => readRuleTraffic(clients.elb, pairs)) : undefined,
    primaryBefore && data.previousTaskDefinition === undefined
      ? forShow(() => readTaskDefinition(clients.ecs, primaryBefore.taskDefinitionArn))
      : undefined,
    needsDiagnosis(deployment, snapshot)
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
async function measureChecks(deployment: EcsState, situation: ActionContext): Promise<EcsState> {
  const { clients, pace, clock } = situation
  const seen = onObserved(deployment, await pollRelease(deployment, situation), pace, clock())
  const { analysis } = seen.release
  if (!analysis || seen.status !== 'IN_PROGRESS' || !mustMeasure(seen, clock())) return seen
  const context = { metrics: clients.metrics, since: measuredSince(seen), now: clock() }
  const measurements = await situation.measure(analysis, context)
  return applyMeasurements(seen, measurements, clock())
}

/**
 * Ends a pause so that the release continues. Polls first: the pause may have ended, or an earlier attempt may have
 * succeeded.
 */
async function continueFrom(deployment: EcsState, hookId: string, situation: ActionContext): Promise<EcsState> {
  const { clients, pace, clock, beforeSend } = situation
  const observation = await pollRelease(deployment, situation)
  const isWaiting = observation.snapshot.hooks.some(
    (hook) => hook.hookId === hookId && hook.status === 'AWAITING_ACTION',
  )
  const seen = onObserved(deployment, observation, pace, clock())
  if (!isWaiting || seen.status !== 'IN_PROGRESS') return seen
  beforeSend()
  await continueHook(clients.ecs, deployment.data.serviceDeploymentArn ?? '', hookId)
  return onPauseContinued(seen, hookId, clock())
}

/** Stops the release. Polls first: a release that has ended or is rolling back must not be stopped. */
async function stop(deployment: EcsState, situation: ActionContext): Promise<EcsState> {
  const { clients, pace, clock, beforeSend } = situation
  const observation = await pollRelease(deployment, situation)
  const seen = onObserved(deployment, observation, pace, clock())
  if (!stoppable.includes(observation.snapshot.state.status)) return seen
  beforeSend()
  try {
    await stopServiceDeployment(clients.ecs, deployment.data.serviceDeploymentArn ?? '')
  } catch (error) {
    if (!(error instanceof CloudPermanentError) || error.reason === 'AccessDeniedException') throw error
  }
  return onStopRequested(seen, clock())
}

const stoppable = ['PENDING', 'IN_PROGRESS', 'STOP_REQUESTED']

/** Starts the command. A second attempt first checks whether the first one succeeded. */
async function run(
  deployment: EcsState,
  mayBeDone: boolean,
  { clients, clock, beforeSend }: ActionContext,
): Promise<EcsState> {
  const request = commandRequestOf(deployment)
  const done = mayBeDone ? await findCommand(clients.ecs, request) : undefined
  return onCommandStarted(deployment, done ?? (await runCommand(clients.ecs, request, beforeSend)), clock())
}

function commandRequestOf(deployment: EcsState): CommandRequest {
  const { id, release, progress, data } = deployment
  if (progress.taskDefinitionArn === undefined) throw new Error(`deployment ${id} has no task definition`)
  const { command, name } = commandAt(deployment)
  const launchVolumes = launchVolumesOf(data.deployedTaskDefinition)
  return { place: release, command, taskDefinitionArn: progress.taskDefinitionArn, name, launchVolumes }
}

async function findTask(deployment: EcsState, { clients, pace, clock }: ActionContext): Promise<EcsState> {
  const found = await findCommand(clients.ecs, commandRequestOf(deployment))
  return found === undefined
    ? onCommandNotFound(deployment, pace, clock())
    : onCommandStarted(deployment, found, clock())
}

async function watch(deployment: EcsState, { clients, pace, clock }: ActionContext): Promise<EcsState> {
  const { taskArn = '' } = deployment.progress.command ?? {}
  const { container } = commandAt(deployment).command
  const task = await readCommand(clients.ecs, deployment.release, taskArn, container)
  const hasFailed = task?.hasEnded && task.exitCode !== 0
  const { deployedTaskDefinition } = deployment.data
  const log = hasFailed ? await lastLines(clients.logs, deployedTaskDefinition, container, taskArn) : []
  return onCommandObserved(deployment, task && { ...task, log }, pace, clock())
}

/** Stops the command's task, unless it has ended. The next poll finds out. */
async function stopTask(deployment: EcsState, { clients, clock, beforeSend }: ActionContext): Promise<EcsState> {
  const { taskArn = '', stop } = deployment.progress.command ?? {}
  const why = stop?.because === 'timeout' ? 'took too long' : 'was given up'
  beforeSend()
  try {
    await stopCommand(
      clients.ecs,
      deployment.release,
      taskArn,
      `Sluice deployment ${deployment.id}: the command ${why}.`,
    )
  } catch (error) {
    if (!(error instanceof CloudPermanentError) || error.reason === 'AccessDeniedException') throw error
  }
  return onCommandStopRequested(deployment, clock())
}

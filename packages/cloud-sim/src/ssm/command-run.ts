import type { CommandStatus } from '@aws-sdk/client-ssm'
import { autoScaling, type Instance } from '../autoscaling/state.ts'
import type { Behaviour } from '../ecs/behaviour.ts'
import { behaviourOf } from '../ecs/images.ts'
import { publishCommand, publishInvocation } from '../events/fleet-events.ts'
import type { World } from '../world.ts'
import { readSecret } from './parameters.ts'
import { invocationsOf, isOver } from './records.ts'
import { type Command, type Invocation, type Outcome, ssm } from './state.ts'
import { targetsOf } from './targets.ts'

/** Advances a command: finds its instances, sends it to more of them, or completes it. */
export function advanceCommand(world: World, command: Command): void {
  if (command.status === 'Pending') begin(world, command)
  const invocations = invocationsOf(world, command)
  if (command.status !== 'InProgress' && command.status !== 'Cancelling') return
  const errors = invocations.filter(countsAsError).length
  const hasFailed = errors > limitOf(command.maxErrors, invocations.length)
  if (hasFailed) terminateWaiting(world, command)
  if (command.status === 'InProgress' && !hasFailed) sendMore(world, command, invocations)
  if (invocations.every(isOver)) conclude(world, command, invocations, hasFailed)
}

function begin(world: World, command: Command): void {
  const targets = targetsOf(world, command)
  for (const { key: instanceId } of targets) {
    const waiting = { status: 'Pending', statusDetails: 'Pending', isSent: false } as const
    const about = { commandId: command.key, instanceId, exitCode: -1, output: '', errorOutput: '' }
    ssm(world).invocations.save({ key: `${command.key} ${instanceId}`, ...about, ...waiting })
  }
  if (targets.length === 0) change(world, command, 'Success', 'NoInstancesInTag')
  else change(world, command, 'InProgress', 'InProgress')
}

/**
 * Sends the command to more instances: one first, then two, four and so on up to the limit ("Run commands at scale").
 */
function sendMore(world: World, command: Command, invocations: Invocation[]): void {
  const underWay = invocations.filter((invocation) => invocation.isSent && !isOver(invocation)).length
  const done = invocations.filter(isOver).length
  const most = Math.max(1, limitOf(command.maxConcurrency, invocations.length))
  if (underWay === 0 && done > 0 && command.window < most) {
    ssm(world).commands.save(Object.assign(command, { window: Math.min(most, command.window * 2) }))
  }
  const waiting = invocations.filter(({ isSent, status }) => !isSent && status === 'Pending')
  for (const invocation of waiting.slice(0, command.window - underWay)) send(world, command, invocation)
}

/** Returns the limit as a number. Percentages are rounded down. */
const limitOf = (text: string, count: number) =>
  text.endsWith('%') ? Math.floor((Number.parseInt(text, 10) * count) / 100) : Number(text)

/** Reports whether an invocation counts as an error; undelivered ones do not ("Understanding command statuses"). */
const countsAsError = ({ status, statusDetails }: Invocation) =>
  status === 'Failed' || (status === 'TimedOut' && statusDetails !== 'DeliveryTimedOut')

function send(world: World, command: Command, invocation: Invocation): void {
  const isReached = autoScaling(world).instances.get(invocation.instanceId)?.agent === 'Online'
  Object.assign(invocation, { isSent: true })
  if (!isReached) {
    Object.assign(invocation, { status: 'Delayed', statusDetails: 'Delayed', wakeAt: world.in(command.timeoutSeconds) })
    ssm(world).invocations.save(invocation)
    return
  }
  const outcome = importedOutcome(world, command) ?? behaviourOf(world, subjectOf(command))
  const behaviour = canReadCredential(world, command, invocation) ? outcome : 'no-access'
  const begun = { status: 'InProgress', statusDetails: 'InProgress', behaviour, startedAt: world.clock.timestamp() }
  Object.assign(invocation, begun, { wakeAt: world.in(durationOf(world, command, behaviour)) })
  ssm(world).invocations.save(invocation)
  publishInvocation(world, command, invocation)
}

/** Reports whether a script can read the Git credential from the secure parameter that the command names. */
function canReadCredential(world: World, { scope, parameters }: Command, { instanceId }: Invocation): boolean {
  const name = parameters.sourceCredentialParameter?.[0] ?? ''
  const credential = name === '' ? undefined : readSecret(world, scope, name)
  const instance = autoScaling(world).instances.get(instanceId)
  if (instance && credential !== undefined) autoScaling(world).instances.save(Object.assign(instance, { credential }))
  return name === '' || credential !== undefined
}

/** Returns the image or script of a command, whose text determines the simulated result. */
const subjectOf = ({ parameters }: Command) => parameters.imageUri?.[0] ?? (parameters.commands ?? []).join('\n')

/** Deployment that a command belongs to. */
const deploymentOf = ({ parameters }: Command): string => parameters.deployId?.[0] ?? ''

/** Returns the outcome of a command in an imported account, which may change while it runs. */
const importedOutcome = (world: World, command: Command): Behaviour | undefined =>
  ssm(world).outcomes.get(deploymentOf(command))?.behaviour

/** Default if the document has no parameter for it, in seconds. */
const defaultExecutionSeconds = 3600

/** Returns the time after which a script times out: its delivery and execution timeouts together. */
const patienceSeconds = ({ timeoutSeconds, parameters }: Command) =>
  timeoutSeconds + Number(parameters.executionTimeout?.[0] ?? defaultExecutionSeconds)

function durationOf(world: World, command: Command, behaviour: Outcome): number {
  if (behaviour === 'hang') return patienceSeconds(command)
  if (behaviour === 'crash' || behaviour === 'pull-error' || behaviour === 'no-access') return world.timing.crashSeconds
  if (behaviour === 'unhealthy') return world.timing.unhealthySeconds
  return world.timing.commandSeconds
}

const endings = {
  healthy: { exitCode: 0, output: 'The new version is healthy.', errorOutput: '' },
  crash: { exitCode: 1, output: 'Starting the new version.', errorOutput: 'The new version ended with code 1.' },
  'pull-error': { exitCode: 125, output: '', errorOutput: 'manifest unknown: manifest unknown' },
  unhealthy: {
    exitCode: 1,
    output: 'Started the new version.',
    errorOutput: 'The new version fails its health checks.',
  },
  'no-access': {
    exitCode: 254,
    output: '',
    errorOutput: 'An error occurred (ParameterNotFound) when calling the GetParameter operation:',
  },
}

/** Ends an invocation when its script ends or times out. */
export function endInvocation(world: World, invocation: Invocation): void {
  const command = ssm(world).commands.get(invocation.commandId)
  if (!command || isOver(invocation)) return
  endOne(world, command, invocation)
  advanceCommand(world, command)
}

function endOne(world: World, command: Command, invocation: Invocation): void {
  const { status, behaviour: begun = 'healthy' } = invocation
  const behaviour = begun === 'no-access' ? begun : (importedOutcome(world, command) ?? begun)
  const instance = autoScaling(world).instances.get(invocation.instanceId)
  if (status === 'Cancelling') finish(world, command, invocation, 'Cancelled', 'Cancelled')
  else if (status === 'Delayed') finish(world, command, invocation, 'TimedOut', 'DeliveryTimedOut')
  else if (behaviour === 'hang' || behaviour === 'no-capacity')
    finish(world, command, invocation, 'TimedOut', 'ExecutionTimedOut')
  else if (instance) report(world, command, invocation, instance, behaviour)
  // A terminated instance no longer responds, so the command times out.
  else hang(world, command, invocation)
}

function hang(world: World, command: Command, invocation: Invocation): void {
  const wakeAt = world.in(patienceSeconds(command))
  ssm(world).invocations.save(Object.assign(invocation, { behaviour: 'hang', wakeAt }))
}

function report(
  world: World,
  command: Command,
  invocation: Invocation,
  instance: Instance,
  behaviour: keyof typeof endings,
): void {
  Object.assign(invocation, endings[behaviour])
  const status = invocation.exitCode === 0 ? 'Success' : 'Failed'
  if (status === 'Success')
    autoScaling(world).instances.save(
      Object.assign(instance, { runs: subjectOf(command), deployment: deploymentOf(command) }),
    )
  finish(world, command, invocation, status, status)
}

function finish(
  world: World,
  command: Command,
  invocation: Invocation,
  status: Invocation['status'],
  statusDetails: string,
): void {
  Object.assign(invocation, { status, statusDetails, endedAt: world.clock.timestamp(), wakeAt: undefined })
  ssm(world).invocations.save(invocation)
  publishInvocation(world, command, invocation)
}

function terminateWaiting(world: World, command: Command): void {
  for (const invocation of invocationsOf(world, command)) {
    if (!invocation.isSent && !isOver(invocation)) finish(world, command, invocation, 'Cancelled', 'Terminated')
  }
}

/** Cancels pending invocations at once and stops running ones after a moment. */
export function cancelInvocations(world: World, command: Command, instanceIds: string[] = []): void {
  if (command.status !== 'Pending' && command.status !== 'InProgress') return
  const isMeant = ({ instanceId }: Invocation) => instanceIds.length === 0 || instanceIds.includes(instanceId)
  for (const invocation of invocationsOf(world, command).filter(isMeant)) cancelInvocation(world, command, invocation)
  if (command.status === 'Pending')
    change(world, command, 'Cancelled', 'Cancelled') // it was not started yet
  else if (instanceIds.length === 0) change(world, command, 'Cancelling', 'Cancelling')
  advanceCommand(world, command)
}

function cancelInvocation(world: World, command: Command, invocation: Invocation): void {
  if (isOver(invocation)) return
  if (!invocation.isSent) {
    finish(world, command, invocation, 'Cancelled', 'Cancelled')
    return
  }
  const wakeAt = world.in(world.timing.cancelSeconds)
  ssm(world).invocations.save(Object.assign(invocation, { status: 'Cancelling', statusDetails: 'Cancelling', wakeAt }))
}

/** Completes a command. It succeeds while errors are within the limit, even if it never reached an instance. */
function conclude(world: World, command: Command, invocations: Invocation[], hasFailed: boolean): void {
  const isComplete = invocations.every(({ status }) => status === 'Success')
  if (command.status === 'Cancelling') change(world, command, 'Cancelled', 'Cancelled')
  else if (hasFailed) change(world, command, 'Failed', 'Failed')
  else change(world, command, 'Success', isComplete ? 'Success' : 'Incomplete')
}

function change(world: World, command: Command, status: CommandStatus, statusDetails: string): void {
  ssm(world).commands.save(Object.assign(command, { status, statusDetails, wakeAt: undefined }))
  const instanceIds = invocationsOf(world, command).map(({ instanceId }) => instanceId)
  publishCommand(world, command, instanceIds)
}

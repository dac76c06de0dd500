import { failures, lastLinesTitle, type UserFacingError } from '@sluice/contract'
import type {
  Command,
  Diagnosis,
  MissingParts,
  ServiceDeploymentSnapshot,
  TaskSnapshot,
} from '../../../../cloud/facts/ecs.ts'
import { consoleUrl } from '../../../../cloud/facts/partition.ts'
import { present } from '../../../../platform/present.ts'
import type { EcsRelease } from './release.ts'
import type { EcsState } from './state.ts'

export function timedOut(release: EcsRelease): UserFacingError {
  return {
    code: failures.timedOut.code,
    message: `The deployment did not finish within its timeout of ${release.timeoutSeconds} s of work.`,
    description: 'Bake times and pauses do not count. Raise deploy.timeout in the module version if it needs longer.',
    action: lookAtService(release),
  }
}

/** Reports whether an error says only that the release timed out, without a diagnosis. */
export const isUnexplainedTimeout = ({ code, details }: UserFacingError): boolean =>
  code === failures.timedOut.code && details === undefined

/** Adds the diagnosis that an operator needs to the error of a release that timed out. */
export function explainTimeout(
  error: UserFacingError,
  { state }: ServiceDeploymentSnapshot,
  diagnosis: Diagnosis,
): UserFacingError {
  const {
    requestedTaskCount: requested = 0,
    runningTaskCount: running = 0,
    pendingTaskCount: pending = 0,
  } = state.targetServiceRevision ?? {}
  const counts = `${running} of ${requested} tasks of the new version were running, and ${pending} were starting.`
  const { death } = diagnosis
  return present({
    ...error,
    // More time helps only if all tasks were running.
    description: running < requested ? `${counts} ${remedyIn(diagnosis.serviceEvents)}` : error.description,
    details: sectionsOf(diagnosis),
    metadata: death && { cause: death.cause, container: death.container },
  })
}

/** Returns the remedy for the latest event that names a reason why no task starts. `events` are newest first. */
function remedyIn(events: readonly string[]): string {
  const beforeRelease = events.findIndex((event) => /has reached a steady state|deployment completed/.test(event))
  const ofRelease = beforeRelease === -1 ? events : events.slice(0, beforeRelease)
  const remedies = ofRelease.flatMap((event) => placementProblems.find(({ message }) => message.test(event)) ?? [])
  return remedies[0]?.remedy ?? "The service's last events show what delayed it."
}

/** Remedies by message, from "Amazon ECS service event messages" and the errors of starting tasks that those quote. */
const placementProblems: readonly { message: RegExp; remedy: string }[] = [
  {
    message: /because of the service deployment configuration/,
    remedy:
      'The deployment configuration allows no task to stop or start: lower minimumHealthyPercent or raise maximumPercent.',
  },
  {
    message: /free (ip )?addresses/i,
    remedy: 'The subnets have no free IP addresses: give the service more subnets, or free addresses.',
  },
  {
    message: /you've reached the limit|limit exceeded|quota/i,
    remedy: 'A quota of the account is exhausted: request a higher one, or stop other tasks.',
  },
  {
    message: /capacity is (currently )?unavailable/i,
    remedy: 'The zones of these subnets have no capacity: give the service subnets in other zones, or retry later.',
  },
  {
    message: /no container instance met all of its requirements|insufficient (cpu|memory|ports)/i,
    remedy: 'The cluster has no room for another task: add instances, or request less CPU and memory.',
  },
]

/**
 * Returns the error if no task of a revision can start again; undefined if tasks can. The service has not been changed.
 */
export function releaseMissing({ release, data }: EcsState, { logGroups }: MissingParts): UserFacingError | undefined {
  if (logGroups.length === 0) return undefined
  const name = data.deployedTaskDefinition?.arn.split('/').at(-1)
  const verb = logGroups.length === 1 ? 'exists' : 'exist'
  return {
    code: failures.releaseMissing.code,
    message: `Cannot release ${name} again: ${logGroupsIn(logGroups)} no longer ${verb}. The service was not changed.`,
    description: 'Create the log group again and retry, or release another version.',
    action: lookAtService(release),
    metadata: { logGroups },
  }
}

const logGroupsIn = (names: readonly string[]): string =>
  `the log ${names.length === 1 ? 'group' : 'groups'} ${names.join(', ')}`

export function rollbackTimedOut(release: EcsRelease): UserFacingError {
  return {
    code: failures.rollbackTimedOut.code,
    message: `The rollback did not finish within ${release.timeoutSeconds} s; the service may run either version.`,
    action: lookAtService(release),
  }
}

export function finishedBeforeStop(): UserFacingError {
  return {
    code: failures.cancelTooLate.code,
    message: 'The release finished before it could be stopped: the new version is live.',
    description: 'To return to the version before, roll this deployment back.',
  }
}

/** Returns the error for a command's task that did not succeed. */
export function commandFailedBecause(
  { step, command }: { step: 'pre-deploy' | 'post-deploy'; command: Command },
  task: TaskSnapshot | undefined,
  tookTooLong: boolean,
): UserFacingError {
  return present({
    ...commandError(step, howItEnded(command, task, tookTooLong)),
    description: task === undefined && !tookTooLong ? forgotten : task?.reason || undefined,
    details: task?.log?.length ? [{ title: lastLinesTitle, render: 'list' as const, items: task.log }] : undefined,
  })
}

function howItEnded({ timeoutSeconds }: Command, task: TaskSnapshot | undefined, tookTooLong: boolean): string {
  if (tookTooLong) return `did not end within ${timeoutSeconds} s and was stopped`
  if (task === undefined) return 'ended, and the cloud no longer reports how'
  return task.exitCode === undefined ? 'did not run' : `ended with the exit code ${task.exitCode}`
}

const forgotten =
  'The cloud reports for about an hour how a task ended, and Sluice did not read it in that time. The log of the command may show it.'

/** Returns the error for a command after the release that the cloud rejected. */
export const postDeployRefused = (reason: string): UserFacingError => ({
  ...commandError('post-deploy', 'could not be run'),
  description: reason,
})

const commandError = (step: 'pre-deploy' | 'post-deploy', how: string) =>
  step === 'pre-deploy'
    ? {
        code: failures.preDeployFailed.code,
        message: `The command before the release ${how}, so the service was not changed.`,
      }
    : { code: failures.postDeployFailed.code, message: `The command after the release ${how}.` }

/** Returns the error if there is no known release to return to. */
export const nothingToReturnTo = (cause: UserFacingError | null): UserFacingError => ({
  code: failures.rollbackFailed.code,
  message: 'Nothing ran before this release, so there is nothing to return to: the new version is live.',
  ...(cause ? { description: cause.message } : {}),
})

export function observationRejected(release: EcsRelease, reason: string): UserFacingError {
  return {
    code: failures.cloudRefused.code,
    message: `The release could no longer be observed: ${reason}`,
    description: 'The cloud continues it. Check that the connected role may still read the service.',
    action: lookAtService(release),
  }
}

/**
 * Part of the cloud's reason for a rollback because of listener rules ("Troubleshooting Amazon ECS blue/green
 * deployments").
 */
const invalidNetworking = 'invalid networking configuration'

/** Returns why the cloud rolled back or stopped a release, with the details that an operator needs next. */
export function failureOf(
  deployment: EcsState,
  snapshot: ServiceDeploymentSnapshot,
  diagnosis?: Diagnosis,
): UserFacingError {
  const reason = snapshot.rollbackReason ?? snapshot.state.statusReason
  const common = present({
    description: reason,
    details: diagnosis && sectionsOf(diagnosis),
    metadata: diagnosis?.death && { cause: diagnosis.death.cause, container: diagnosis.death.container },
    action: lookAtService(deployment.release),
  })
  if (snapshot.breaker?.status === 'TRIGGERED') {
    const { failureCount } = snapshot.breaker
    const count = failureCount === undefined ? 'Too many tasks' : `${failureCount} tasks`
    const message = `${count} of the new version did not become healthy, so the release was stopped.`
    return { ...common, code: failures.tasksUnhealthy.code, message }
  }
  if (snapshot.alarms?.status === 'TRIGGERED') {
    const message = `An alarm went off during the release: ${snapshot.alarms.triggered.join(', ')}.`
    return { ...common, code: failures.alarmTriggered.code, message }
  }
  if (reason?.includes(invalidNetworking)) {
    const message = 'The cloud could not shift traffic by the listener rules, so it rolled the release back.'
    return { ...common, code: failures.listenerRuleInvalid.code, message }
  }
  // The end of a release also ends its pauses, so a rejected pause is the reason only if there is no other.
  const timedOutHook = snapshot.hooks.find((hook) => hook.status === 'TIMED_OUT' && hook.timeoutAction === 'ROLLBACK')
  if (timedOutHook) {
    const message = `No one continued the pause ${atStage(timedOutHook.hookId, deployment)} in time, so the release was rolled back.`
    return { ...common, code: failures.pauseTimedOut.code, message }
  }
  const rejected = snapshot.hooks.find((hook) => hook.status === 'FAILED')
  if (rejected) {
    return {
      ...common,
      code: failures.pauseRejected.code,
      message: `The pause ${atStage(rejected.hookId, deployment)} was answered with a rollback.`,
    }
  }
  return { ...common, code: failures.rolledBack.code, message: 'The cloud rolled the release back.' }
}

export function rollbackFailed(deployment: EcsState, reason: string | undefined): UserFacingError {
  return {
    code: failures.rollbackFailed.code,
    message: 'The rollback failed; the service may run either version.',
    description: reason ?? 'The cloud gave no reason.',
    action: lookAtService(deployment.release),
  }
}

/**
 * Returns the error of a release whose rollback failed in the cloud, such as the first release of a service, which has
 * no previous version. The reason of the rollback stays the main error, because that is what must be fixed.
 */
export function notRolledBack(deployment: EcsState, reason: string | undefined): UserFacingError {
  const { error: cause, progress } = deployment
  if (!cause || progress.stop) return rollbackFailed(deployment, reason)
  const rollback = `The rollback failed: ${reason ?? 'the cloud gave no reason'}. The service may run either version.`
  return { ...cause, description: [cause.description, rollback].filter((part) => part !== undefined).join(' ') }
}

export function stoppedExternally(deployment: EcsState, snapshot: ServiceDeploymentSnapshot): UserFacingError {
  return present({
    code: failures.stoppedOutside.code,
    message: 'The release was stopped from outside, most likely because something else deployed to the same service.',
    description: snapshot.state.statusReason,
    action: lookAtService(deployment.release),
  })
}

/** Returns the stage of a pause from the row, because the cloud does not report it after the pause has ended. */
function atStage(hookId: string, { progress }: EcsState): string {
  const stage = progress.hooks.find((hook) => hook.hookId === hookId)?.lifecycleStage
  return stage === undefined ? hookId : `at ${stage}`
}

function lookAtService(release: EcsRelease): { label: string; url: string } {
  const [cluster, service] = [release.clusterArn, release.serviceArn].map((arn) => arn.split('/').at(-1) ?? '')
  return {
    label: 'Open the service in the cloud console',
    url: consoleUrl(release.region, `ecs/v2/clusters/${cluster}/services/${service}/events?region=${release.region}`),
  }
}

function sectionsOf(diagnosis: Diagnosis): NonNullable<UserFacingError['details']> {
  const section = (title: string, items: string[]) =>
    items.length === 0 ? [] : [{ title, render: 'list' as const, items }]
  return [
    ...section(lastLinesTitle, diagnosis.death?.lastLines ?? []),
    ...section('Stopped tasks', diagnosis.stoppedTasks),
    ...section('Target health', diagnosis.targetHealth),
    ...section("The service's last events", diagnosis.serviceEvents),
  ]
}

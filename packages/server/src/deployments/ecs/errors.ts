import { failures, type UserFacingError } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import type { EcsRelease } from '../release.ts'
import type { Standing } from '../standing.ts'
import type { Diagnosis, ServiceDeploymentSnapshot } from './snapshot.ts'

/** The cloud said no to a request, for good. */
export function refusedByCloud(step: string, refusal: { name: string; message: string }): UserFacingError {
  return {
    code: failures.cloudRefused.code,
    message: `The cloud refused to ${step}: ${refusal.message}`,
    details: [
      { title: "The cloud's answer", render: 'object', object: { error: refusal.name, reason: refusal.message } },
    ],
  }
}

export function cancelledBy(): UserFacingError {
  return {
    code: failures.cancelled.code,
    message: 'The deployment was cancelled on request.',
    description: 'If the new version had begun to run, the service was returned to the version before.',
  }
}

export function timedOut(release: EcsRelease): UserFacingError {
  return {
    code: failures.timedOut.code,
    message: `The deployment did not finish within its timeout of ${release.timeoutSeconds} s of work.`,
    description: 'Bake times and pauses do not count. Raise deploy.timeout in the module version if it needs longer.',
    action: lookAtService(release),
  }
}

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
    description: 'To return to the version before, redeploy the deployment that released it.',
  }
}

export function lostSight(release: EcsRelease, reason: string): UserFacingError {
  return {
    code: failures.cloudRefused.code,
    message: `The release could not be followed any more: ${reason}`,
    description: 'The cloud goes on with it by itself. Check that the connected role may still read the service.',
    action: lookAtService(release),
  }
}

/** Why a release that the cloud gave up was given up, with what an operator would look up next. */
export function failureOf(
  standing: Standing,
  snapshot: ServiceDeploymentSnapshot,
  diagnosis?: Diagnosis,
): UserFacingError {
  const reason = snapshot.rollbackReason ?? snapshot.state.statusReason
  const common = present({
    description: reason,
    details: diagnosis && sectionsOf(diagnosis),
    action: lookAtService(standing.release),
  })
  if (snapshot.breaker?.status === 'TRIGGERED') {
    const { failureCount } = snapshot.breaker
    const count = failureCount === undefined ? 'Too many tasks' : `${failureCount} tasks`
    const message = `${count} of the new version did not become healthy, so the release was given up.`
    return { ...common, code: failures.tasksUnhealthy.code, message }
  }
  if (snapshot.alarms?.status === 'TRIGGERED') {
    const message = `An alarm went off during the release: ${snapshot.alarms.triggered.join(', ')}.`
    return { ...common, code: failures.alarmTriggered.code, message }
  }
  // A release that is given up takes its open pauses with it, so a rejected pause explains only what nothing else does.
  const timedOutHook = snapshot.hooks.find((hook) => hook.status === 'TIMED_OUT' && hook.timeoutAction === 'ROLLBACK')
  if (timedOutHook) {
    const message = `Nobody continued the pause ${atStage(timedOutHook.hookId, standing)} in time, so the release was rolled back.`
    return { ...common, code: failures.pauseTimedOut.code, message }
  }
  const rejected = snapshot.hooks.find((hook) => hook.status === 'FAILED')
  if (rejected) {
    return {
      ...common,
      code: failures.pauseRejected.code,
      message: `The pause ${atStage(rejected.hookId, standing)} was answered with a rollback.`,
    }
  }
  return { ...common, code: failures.rolledBack.code, message: 'The cloud rolled the release back.' }
}

export function rollbackFailed(standing: Standing, snapshot: ServiceDeploymentSnapshot): UserFacingError {
  return {
    code: failures.rollbackFailed.code,
    message: 'The rollback failed; the service may run either version.',
    description: snapshot.state.statusReason ?? snapshot.rollbackReason ?? 'The cloud gave no reason.',
    action: lookAtService(standing.release),
  }
}

export function stoppedOutside(standing: Standing, snapshot: ServiceDeploymentSnapshot): UserFacingError {
  return present({
    code: failures.stoppedOutside.code,
    message: 'The release was stopped from outside, most likely because something else deployed to the same service.',
    description: snapshot.state.statusReason,
    action: lookAtService(standing.release),
  })
}

/** Once a pause is answered the cloud no longer says where it was; the row remembers. */
function atStage(hookId: string, { progress }: Standing): string {
  const stage = progress.hooks.find((hook) => hook.hookId === hookId)?.lifecycleStage
  return stage === undefined ? hookId : `at ${stage}`
}

function lookAtService(release: EcsRelease): { label: string; url: string } {
  const [cluster, service] = [release.clusterArn, release.serviceArn].map((arn) => arn.split('/').at(-1) ?? '')
  return {
    label: 'Open the service in the cloud console',
    url: `https://${release.region}.console.aws.amazon.com/ecs/v2/clusters/${cluster}/services/${service}/events?region=${release.region}`,
  }
}

function sectionsOf(diagnosis: Diagnosis): NonNullable<UserFacingError['details']> {
  const section = (title: string, items: string[]) =>
    items.length === 0 ? [] : [{ title, render: 'list' as const, items }]
  return [
    ...section('Stopped tasks', diagnosis.stoppedTasks),
    ...section('Target health', diagnosis.targetHealth),
    ...section("The service's last events", diagnosis.serviceEvents),
  ]
}

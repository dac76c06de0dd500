import type { ErrorEntry, RefusalEntry } from './entry.ts'

export const deploymentRefusals = {
  deploymentNotFound: { code: 'Sluice:Deployments:NOT_FOUND', status: 404, title: 'There is no such deployment.' },
  deploymentUnreadable: {
    code: 'Sluice:Deployments:UNREADABLE',
    status: 503,
    title: 'The deployment is in an archive that cannot be read now.',
  },
  inputInvalid: {
    code: 'Sluice:Deployments:INPUT_INVALID',
    status: 400,
    title: 'The inputs are not what the module takes.',
  },
  moduleHasNoDeploy: {
    code: 'Sluice:Deployments:MODULE_HAS_NO_DEPLOY',
    status: 422,
    title: 'The module cannot be deployed.',
  },
  releaseInvalid: {
    code: 'Sluice:Deployments:RELEASE_INVALID',
    status: 422,
    title: 'What the module releases is not valid.',
  },
  cloudAccountNotConnected: {
    code: 'Sluice:Deployments:CLOUD_ACCOUNT_NOT_CONNECTED',
    status: 422,
    title: 'The cloud account that is deployed to is not connected.',
  },
  queueFull: { code: 'Sluice:Deployments:QUEUE_FULL', status: 422, title: 'Too many deployments wait already.' },
  notPaused: { code: 'Sluice:Deployments:NOT_PAUSED', status: 422, title: 'The deployment is not paused.' },
  hookNotPending: {
    code: 'Sluice:Deployments:HOOK_NOT_PENDING',
    status: 422,
    title: 'The deployment is not paused on this hook.',
  },
  noStoredRelease: {
    code: 'Sluice:Deployments:NO_STORED_RELEASE',
    status: 422,
    title: 'The deployment has no release to deploy again.',
  },
  nothingChanged: {
    code: 'Sluice:Deployments:NOTHING_CHANGED',
    status: 422,
    title: 'The deployment waits for its turn: there is nothing to roll back.',
  },
  noEarlierRelease: {
    code: 'Sluice:Deployments:NO_EARLIER_RELEASE',
    status: 422,
    title: 'No deployment before it succeeded.',
  },
  rollbackTargetInvalid: {
    code: 'Sluice:Deployments:ROLLBACK_TARGET_INVALID',
    status: 422,
    title: 'The deployment named cannot be rolled back to.',
  },
  rollbackTargetNewer: {
    code: 'Sluice:Deployments:ROLLBACK_TARGET_NEWER',
    status: 422,
    title: 'The deployment named is newer than what serves traffic now: deploy it instead.',
  },
  rollbackUnderWay: {
    code: 'Sluice:Deployments:ROLLBACK_UNDER_WAY',
    status: 422,
    title: 'A rollback to the same release is under way.',
  },
  alreadyFinished: { code: 'Sluice:Deployments:ALREADY_FINISHED', status: 422, title: 'The deployment is over.' },
} as const satisfies Record<string, RefusalEntry>

export const deploymentFailures = {
  superseded: { code: 'Sluice:Deployments:SUPERSEDED', title: 'A newer deployment took its place.' },
  cancelled: { code: 'Sluice:Deployments:CANCELLED', title: 'It was cancelled.' },
  cancelTooLate: { code: 'Sluice:Deployments:CANCEL_TOO_LATE', title: 'It was over before the cancel reached it.' },
  rollbackOvertaken: {
    code: 'Sluice:Deployments:ROLLBACK_OVERTAKEN',
    title: 'An older release serves traffic since the rollback was requested.',
  },
  queueTimedOut: { code: 'Sluice:Deployments:QUEUE_TIMED_OUT', title: 'It waited too long for its turn.' },
  cloudRefused: { code: 'Sluice:Deployments:CLOUD_REFUSED', title: 'The cloud refused it.' },
  releaseMissing: {
    code: 'Sluice:Deployments:RELEASE_MISSING',
    title: 'What it releases is not there.',
  },
  targetChanged: {
    code: 'Sluice:Deployments:TARGET_CHANGED',
    title: 'Somebody else changed what it deploys to.',
  },
  tasksUnhealthy: { code: 'Sluice:Deployments:TASKS_UNHEALTHY', title: 'The new tasks did not become healthy.' },
  sourceNotReadable: {
    code: 'Sluice:Deployments:SOURCE_NOT_READABLE',
    title: 'The repository that it checks out cannot be read.',
  },
  noInstances: { code: 'Sluice:Deployments:NO_INSTANCES', title: 'There is no instance to release to.' },
  instancesFailed: { code: 'Sluice:Deployments:INSTANCES_FAILED', title: 'The release failed on instances.' },
  serviceNotSupported: {
    code: 'Sluice:Deployments:SERVICE_NOT_SUPPORTED',
    title: 'The service does not support the release.',
  },
  listenerRuleInvalid: {
    code: 'Sluice:Deployments:LISTENER_RULE_INVALID',
    title: 'A listener rule does not fit the release.',
  },
  alarmTriggered: { code: 'Sluice:Deployments:ALARM_TRIGGERED', title: 'An alarm went off.' },
  pauseTimedOut: { code: 'Sluice:Deployments:PAUSE_TIMED_OUT', title: 'Nobody decided in time.' },
  pauseRejected: { code: 'Sluice:Deployments:PAUSE_REJECTED', title: 'It was turned back at a pause.' },
  rolledBack: { code: 'Sluice:Deployments:ROLLED_BACK', title: 'The old release is back in place.' },
  rolledBackOnRequest: {
    code: 'Sluice:Deployments:ROLLED_BACK_ON_REQUEST',
    title: 'Somebody asked for the release before it.',
  },
  analysisFailed: { code: 'Sluice:Deployments:ANALYSIS_FAILED', title: 'A check of the new release failed.' },
  preDeployFailed: { code: 'Sluice:Deployments:PRE_DEPLOY_FAILED', title: 'The command before the release failed.' },
  postDeployFailed: { code: 'Sluice:Deployments:POST_DEPLOY_FAILED', title: 'The command after the release failed.' },
  rollbackFailed: { code: 'Sluice:Deployments:ROLLBACK_FAILED', title: 'The old release could not be put back.' },
  rollbackTimedOut: {
    code: 'Sluice:Deployments:ROLLBACK_TIMED_OUT',
    title: 'Putting back the old release took too long.',
  },
  codeUpdateFailed: {
    code: 'Sluice:Deployments:CODE_UPDATE_FAILED',
    title: 'The function could not take its new code.',
  },
  versionFailed: {
    code: 'Sluice:Deployments:VERSION_FAILED',
    title: 'The new version of the function cannot be started.',
  },
  codeChanged: { code: 'Sluice:Deployments:CODE_CHANGED', title: "Somebody else changed the function's code." },
  callsNotShared: {
    code: 'Sluice:Deployments:CALLS_NOT_SHARED',
    title: 'The alias cannot share its calls between two versions.',
  },
  aliasChanged: { code: 'Sluice:Deployments:ALIAS_CHANGED', title: 'Somebody else moved the alias.' },
  timedOut: { code: 'Sluice:Deployments:TIMED_OUT', title: 'It took too long.' },
  touchedNotShown: {
    code: 'Sluice:DeploymentResources:NOT_SHOWN',
    title: 'The cloud does not show what it touched.',
  },
  stoppedOutside: { code: 'Sluice:Deployments:STOPPED_OUTSIDE', title: 'It was stopped at the cloud, not here.' },
} as const satisfies Record<string, ErrorEntry>

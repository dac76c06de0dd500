import type { ApiErrorEntry, ErrorEntry } from './entry.ts'

export const deploymentErrors = {
  deploymentNotFound: { code: 'Sluice:Deployments:NOT_FOUND', status: 404, title: 'The deployment does not exist.' },
  deploymentUnreadable: {
    code: 'Sluice:Deployments:UNREADABLE',
    status: 503,
    title: 'The deployment is archived, and the archive is unavailable.',
  },
  inputInvalid: {
    code: 'Sluice:Deployments:INPUT_INVALID',
    status: 400,
    title: 'The inputs do not match the module.',
  },
  moduleHasNoDeploy: {
    code: 'Sluice:Deployments:MODULE_HAS_NO_DEPLOY',
    status: 422,
    title: 'The module cannot be deployed.',
  },
  releaseInvalid: {
    code: 'Sluice:Deployments:RELEASE_INVALID',
    status: 422,
    title: 'The release of the module is invalid.',
  },
  cloudAccountNotConnected: {
    code: 'Sluice:Deployments:CLOUD_ACCOUNT_NOT_CONNECTED',
    status: 422,
    title: 'The cloud account to deploy to is not connected.',
  },
  queueFull: { code: 'Sluice:Deployments:QUEUE_FULL', status: 422, title: 'The deployment queue is full.' },
  notPaused: { code: 'Sluice:Deployments:NOT_PAUSED', status: 422, title: 'The deployment is not paused.' },
  hookNotPending: {
    code: 'Sluice:Deployments:HOOK_NOT_PENDING',
    status: 422,
    title: 'The deployment is not paused at this hook.',
  },
  noStoredRelease: {
    code: 'Sluice:Deployments:NO_STORED_RELEASE',
    status: 422,
    title: 'The deployment has no stored release to redeploy.',
  },
  nothingChanged: {
    code: 'Sluice:Deployments:NOTHING_CHANGED',
    status: 422,
    title: 'The deployment is queued, so there is nothing to roll back.',
  },
  noEarlierRelease: {
    code: 'Sluice:Deployments:NO_EARLIER_RELEASE',
    status: 422,
    title: 'There is no earlier successful deployment.',
  },
  rollbackTargetInvalid: {
    code: 'Sluice:Deployments:ROLLBACK_TARGET_INVALID',
    status: 422,
    title: 'The named deployment is not a possible rollback target.',
  },
  rollbackTargetNewer: {
    code: 'Sluice:Deployments:ROLLBACK_TARGET_NEWER',
    status: 422,
    title: 'The named deployment is newer than the one serving traffic: redeploy it instead.',
  },
  rollbackUnderWay: {
    code: 'Sluice:Deployments:ROLLBACK_IN_PROGRESS',
    status: 422,
    title: 'A rollback to the same release is in progress.',
  },
  alreadyFinished: { code: 'Sluice:Deployments:ALREADY_FINISHED', status: 422, title: 'The deployment has finished.' },
} as const satisfies Record<string, ApiErrorEntry>

export const deploymentFailures = {
  superseded: { code: 'Sluice:Deployments:SUPERSEDED', title: 'A newer deployment superseded it.' },
  cancelled: { code: 'Sluice:Deployments:CANCELLED', title: 'The deployment was cancelled.' },
  cancelTooLate: {
    code: 'Sluice:Deployments:CANCEL_TOO_LATE',
    title: 'The deployment finished before it could be cancelled.',
  },
  rollbackOvertaken: {
    code: 'Sluice:Deployments:ROLLBACK_OVERTAKEN',
    title: 'An older release has started serving traffic since the rollback was requested.',
  },
  resourceTaken: {
    code: 'Sluice:Deployments:RESOURCE_TAKEN',
    title: 'Another module instance releases the resource.',
  },
  queueTimedOut: { code: 'Sluice:Deployments:QUEUE_TIMED_OUT', title: 'The deployment was queued for too long.' },
  cloudRefused: { code: 'Sluice:Deployments:CLOUD_REFUSED', title: 'The cloud rejected the deployment.' },
  releaseMissing: {
    code: 'Sluice:Deployments:RELEASE_MISSING',
    title: 'The release to deploy does not exist.',
  },
  targetChanged: {
    code: 'Sluice:Deployments:TARGET_CHANGED',
    title: 'The deployed resource was changed by someone else.',
  },
  tasksUnhealthy: { code: 'Sluice:Deployments:TASKS_UNHEALTHY', title: 'The new tasks did not become healthy.' },
  sourceNotReadable: {
    code: 'Sluice:Deployments:SOURCE_NOT_READABLE',
    title: 'The repository to check out cannot be read.',
  },
  noInstances: { code: 'Sluice:Deployments:NO_INSTANCES', title: 'There is no instance to deploy to.' },
  instancesFailed: { code: 'Sluice:Deployments:INSTANCES_FAILED', title: 'The release failed on instances.' },
  serviceNotSupported: {
    code: 'Sluice:Deployments:SERVICE_NOT_SUPPORTED',
    title: 'The service does not support the release.',
  },
  checkFailed: {
    code: 'Sluice:Deployments:CHECK_FAILED',
    title: 'A check before the start of the release failed.',
  },
  listenerRuleInvalid: {
    code: 'Sluice:Deployments:LISTENER_RULE_INVALID',
    title: 'A listener rule does not match the release.',
  },
  alarmTriggered: { code: 'Sluice:Deployments:ALARM_TRIGGERED', title: 'An alarm was triggered.' },
  pauseTimedOut: { code: 'Sluice:Deployments:PAUSE_TIMED_OUT', title: 'The pause timed out without a decision.' },
  pauseRejected: { code: 'Sluice:Deployments:PAUSE_REJECTED', title: 'The deployment was rolled back at a pause.' },
  rolledBack: { code: 'Sluice:Deployments:ROLLED_BACK', title: 'The previous release was restored.' },
  rolledBackOnRequest: {
    code: 'Sluice:Deployments:ROLLED_BACK_ON_REQUEST',
    title: 'A user requested a rollback to the previous release.',
  },
  analysisFailed: { code: 'Sluice:Deployments:ANALYSIS_FAILED', title: 'A check of the new release failed.' },
  preDeployFailed: { code: 'Sluice:Deployments:PRE_DEPLOY_FAILED', title: 'The command before the release failed.' },
  postDeployFailed: { code: 'Sluice:Deployments:POST_DEPLOY_FAILED', title: 'The command after the release failed.' },
  rollbackFailed: { code: 'Sluice:Deployments:ROLLBACK_FAILED', title: 'The previous release could not be restored.' },
  rollbackTimedOut: {
    code: 'Sluice:Deployments:ROLLBACK_TIMED_OUT',
    title: 'Restoring the previous release timed out.',
  },
  codeUpdateFailed: {
    code: 'Sluice:Deployments:CODE_UPDATE_FAILED',
    title: 'The code of the function could not be updated.',
  },
  versionFailed: {
    code: 'Sluice:Deployments:VERSION_FAILED',
    title: 'The new version of the function cannot be started.',
  },
  codeChanged: {
    code: 'Sluice:Deployments:CODE_CHANGED',
    title: 'The code of the function was changed by someone else.',
  },
  callsNotShared: {
    code: 'Sluice:Deployments:CALLS_NOT_SHARED',
    title: 'The alias cannot split its invocations between two versions.',
  },
  aliasChanged: { code: 'Sluice:Deployments:ALIAS_CHANGED', title: 'The alias was changed by someone else.' },
  timedOut: { code: 'Sluice:Deployments:TIMED_OUT', title: 'The deployment timed out.' },
  touchedNotShown: {
    code: 'Sluice:DeploymentResources:NOT_SHOWN',
    title: "The cloud does not return the deployment's resources.",
  },
  stoppedOutside: {
    code: 'Sluice:Deployments:STOPPED_OUTSIDE',
    title: 'The deployment was stopped in the cloud, outside of Sluice.',
  },
} as const satisfies Record<string, ErrorEntry>

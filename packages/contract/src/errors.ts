/** An error in the catalogue: its code on the wire and what it means. */
export interface ErrorEntry {
  readonly code: `Sluice:${string}:${string}`
  readonly title: string
}

/** An error that answers a request, with the HTTP status it has. */
export interface RefusalEntry extends ErrorEntry {
  readonly status: number
}

/** Every way a request can be refused. */
export const refusals = {
  requestInvalid: {
    code: 'Sluice:Request:INVALID',
    status: 400,
    title: 'The request is not what the operation takes.',
  },
  malformedJson: { code: 'Sluice:Request:MALFORMED_JSON', status: 400, title: 'The body is not JSON.' },
  requestUnreadable: { code: 'Sluice:Request:UNREADABLE', status: 400, title: 'The request cannot be read.' },
  requestTooSlow: { code: 'Sluice:Request:TOO_SLOW', status: 408, title: 'The request took too long to arrive.' },
  headersTooLarge: { code: 'Sluice:Request:HEADERS_TOO_LARGE', status: 431, title: 'The headers are too large.' },
  cursorInvalid: { code: 'Sluice:Request:CURSOR_INVALID', status: 400, title: 'The cursor belongs to no such list.' },
  routeNotFound: { code: 'Sluice:Request:ROUTE_NOT_FOUND', status: 404, title: 'There is no such path.' },
  methodNotAllowed: {
    code: 'Sluice:Request:METHOD_NOT_ALLOWED',
    status: 405,
    title: 'The path does not take this method.',
  },
  bodyTooLarge: { code: 'Sluice:Request:BODY_TOO_LARGE', status: 413, title: 'The body is too large.' },
  mediaTypeUnsupported: {
    code: 'Sluice:Request:MEDIA_TYPE_UNSUPPORTED',
    status: 415,
    title: 'The body is not declared as JSON.',
  },
  rateLimited: { code: 'Sluice:Request:RATE_LIMITED', status: 429, title: 'Too many requests.' },
  unauthenticated: { code: 'Sluice:Auth:UNAUTHENTICATED', status: 401, title: 'The caller is not known.' },
  forbidden: { code: 'Sluice:Auth:FORBIDDEN', status: 403, title: 'The caller may not do this.' },
  internal: { code: 'Sluice:Server:INTERNAL', status: 500, title: 'The server failed.' },

  moduleInstanceNotFound: {
    code: 'Sluice:ModuleInstances:NOT_FOUND',
    status: 404,
    title: 'There is no such module instance.',
  },
  moduleDefinitionNotFound: {
    code: 'Sluice:ModuleDefinitions:NOT_FOUND',
    status: 404,
    title: 'There is no such module definition.',
  },
  cloudAccountNotFound: {
    code: 'Sluice:CloudAccounts:NOT_FOUND',
    status: 404,
    title: 'There is no such cloud account.',
  },
  deploymentNotFound: { code: 'Sluice:Deployments:NOT_FOUND', status: 404, title: 'There is no such deployment.' },

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
  alreadyFinished: { code: 'Sluice:Deployments:ALREADY_FINISHED', status: 422, title: 'The deployment is over.' },

  eventSecretWrong: {
    code: 'Sluice:CloudEvents:SECRET_WRONG',
    status: 401,
    title: 'The event does not carry the secret of a cloud account.',
  },
  eventAccountWrong: {
    code: 'Sluice:CloudEvents:ACCOUNT_WRONG',
    status: 422,
    title: 'The event comes from another cloud account.',
  },
} as const satisfies Record<string, RefusalEntry>

export type RefusalKey = keyof typeof refusals

/** Refusals that no route declares because every route has them. */
export const commonRefusals = [
  'requestInvalid',
  'malformedJson',
  'requestUnreadable',
  'requestTooSlow',
  'headersTooLarge',
  'bodyTooLarge',
  'mediaTypeUnsupported',
  'rateLimited',
  'internal',
] as const satisfies readonly RefusalKey[]

/** Every way a resource can fail after its request was accepted: the codes of `error` fields. */
export const failures = {
  superseded: { code: 'Sluice:Deployments:SUPERSEDED', title: 'A newer deployment took its place.' },
  cancelled: { code: 'Sluice:Deployments:CANCELLED', title: 'It was cancelled.' },
  cancelTooLate: { code: 'Sluice:Deployments:CANCEL_TOO_LATE', title: 'It was over before the cancel reached it.' },
  queueTimedOut: { code: 'Sluice:Deployments:QUEUE_TIMED_OUT', title: 'It waited too long for its turn.' },
  cloudRefused: { code: 'Sluice:Deployments:CLOUD_REFUSED', title: 'The cloud refused it.' },
  tasksUnhealthy: { code: 'Sluice:Deployments:TASKS_UNHEALTHY', title: 'The new tasks did not become healthy.' },
  alarmTriggered: { code: 'Sluice:Deployments:ALARM_TRIGGERED', title: 'An alarm went off.' },
  pauseTimedOut: { code: 'Sluice:Deployments:PAUSE_TIMED_OUT', title: 'Nobody decided in time.' },
  pauseRejected: { code: 'Sluice:Deployments:PAUSE_REJECTED', title: 'It was turned back at a pause.' },
  rolledBack: { code: 'Sluice:Deployments:ROLLED_BACK', title: 'The old release is back in place.' },
  rollbackFailed: { code: 'Sluice:Deployments:ROLLBACK_FAILED', title: 'The old release could not be put back.' },
  rollbackTimedOut: {
    code: 'Sluice:Deployments:ROLLBACK_TIMED_OUT',
    title: 'Putting back the old release took too long.',
  },
  timedOut: { code: 'Sluice:Deployments:TIMED_OUT', title: 'It took too long.' },
  stoppedOutside: { code: 'Sluice:Deployments:STOPPED_OUTSIDE', title: 'It was stopped at the cloud, not here.' },
} as const satisfies Record<string, ErrorEntry>

export type FailureKey = keyof typeof failures

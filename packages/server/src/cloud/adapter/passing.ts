/** The operations of which more is known than of all. */
export type Operation =
  | 'RegisterTaskDefinition'
  | 'RunTask'
  | 'CreateProject'
  | 'StartBuild'
  | 'UpdateService'
  | 'StopServiceDeployment'
  | 'UpdateFunctionCode'
  | 'PublishVersion'
  | 'UpdateAlias'
  | 'PutParameter'
  | 'PutKey'
  | 'UpdateKeys'
  | 'CreateInvalidation'
  | 'DeleteObjects'
  | 'FilterLogEvents'

/** A refusal that is none: the same request may be taken in a moment. */
export type Passing = {
  /** The name of the error. */
  error: string
  /** The operation that says so; absent: any. */
  operation?: Operation
  /** Where the error's name alone does not tell. */
  says?: RegExp
}

const of = (operation: Operation | undefined, ...errors: string[]): Passing[] =>
  errors.map((error) => (operation === undefined ? { error } : { error, operation }))

/**
 * What passes by itself among the answers that are no faults by their status (5xx and 429 are, whatever they are
 * called). Everything else of 4xx is final. Sources, read 2026-11: SDK is the SDK's own list (`THROTTLING_ERROR_CODES`,
 * `CLOCK_SKEW_ERROR_CODES`, `TRANSIENT_ERROR_CODES` in `@smithy/core`), API the "Errors" of the operation in the
 * service's API reference, TF what HashiCorp's provider has learned to try again.
 */
export const passing: readonly Passing[] = [
  // Too many requests. SDK; without its LimitExceededException, which is a quota here.
  ...of(undefined, 'BandwidthLimitExceeded', 'EC2ThrottledException', 'PriorRequestNotComplete'),
  ...of(undefined, 'RequestLimitExceeded', 'RequestThrottled', 'RequestThrottledException', 'SlowDown'),
  ...of(undefined, 'ThrottledException', 'Throttling', 'ThrottlingException', 'TooManyRequestsException'),
  // The clocks differ, or what was signed came late: SDK. A new signature cures it, and no release is to blame.
  ...of(undefined, 'AuthFailure', 'InvalidSignatureException', 'RequestExpired', 'RequestInTheFuture'),
  ...of(undefined, 'RequestTimeTooSkewed', 'SignatureDoesNotMatch'),
  // The session ended under the request: new credentials cure it. API ("Common Errors" of every service), S3 error
  // codes.
  ...of(undefined, 'ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired'),
  // The request came too slowly. SDK, S3 error codes.
  ...of(undefined, 'RequestTimeout', 'RequestTimeoutException'),
  // Container services. API: ServerException is "a server issue"; a stop and a change of state at once.
  ...of(undefined, 'ServerException'),
  ...of('StopServiceDeployment', 'ConflictException'),
  // A repeated token with other parameters: the task runs already, and the next attempt looks for it.
  ...of('RunTask', 'ConflictException'),
  ...of('UpdateService', 'UpdateInProgressException'),
  // TF: revisions of one family are made one at a time.
  {
    operation: 'RegisterTaskDefinition',
    error: 'ClientException',
    says: /Too many concurrent attempts to create a new revision/,
  },
  // API: the quota of tasks that are being provisioned.
  { operation: 'RunTask', error: 'ClientException', says: /PROVISIONING/ },
  // Builds. API: two that begin at once both find no project; so many are under way already.
  ...of('CreateProject', 'ResourceAlreadyExistsException'),
  ...of('StartBuild', 'AccountLimitExceededException'),
  // Functions. API: another change of the function, the alias or the version is under way.
  ...of('UpdateFunctionCode', 'ResourceConflictException', 'ResourceNotReadyException'),
  ...of('PublishVersion', 'ResourceConflictException', 'ResourceNotReadyException'),
  ...of('UpdateAlias', 'ResourceConflictException'),
  // TF: a role that was made a moment ago is not known everywhere yet.
  {
    operation: 'UpdateFunctionCode',
    error: 'InvalidParameterValueException',
    says: /role defined for the function cannot be assumed by Lambda/,
  },
  // Parameters. API: they take one change at a time.
  ...of('PutParameter', 'TooManyUpdates'),
  // Static sites. API: another key of the store was changed; so many invalidations at once; S3 error codes.
  ...of('PutKey', 'ConflictException'),
  ...of('UpdateKeys', 'ConflictException'),
  ...of('CreateInvalidation', 'TooManyInvalidationsInProgress'),
  ...of('DeleteObjects', 'OperationAborted'),
  // Logs, metrics, queues. API.
  ...of('FilterLogEvents', 'OperationAbortedException'),
  ...of(undefined, 'KmsThrottled'),
]

/** Whether the refusal passes by itself; `operation` where it is known. */
export const passes = (operation: Operation | undefined, { name, message }: Error): boolean =>
  passing.some(
    (one) =>
      one.error === name &&
      (one.operation === undefined || one.operation === operation) &&
      (one.says === undefined || one.says.test(message)),
  )

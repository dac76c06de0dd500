/** Operations with special rules in the table of transient errors. */
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

/** Error response that is transient although its status is 4xx. */
export type TransientErrorRule = {
  error: string
  /** Operation that returns the error; any if absent. */
  operation?: Operation
  /** Required pattern in the message, if the error code alone is ambiguous. */
  message?: RegExp
}

const of = (operation: Operation | undefined, ...errors: string[]): TransientErrorRule[] =>
  errors.map((error) => (operation === undefined ? { error } : { error, operation }))

/**
 * 4xx errors that are transient; 5xx and 429 always are, and all other 4xx are permanent. Sources, read 2026-11: "SDK"
 * is `THROTTLING_ERROR_CODES`, `CLOCK_SKEW_ERROR_CODES` and `TRANSIENT_ERROR_CODES` in `@smithy/core`, "API" the
 * operation's errors in the API reference, "TF" the retries of HashiCorp's provider.
 */
export const transientErrors: readonly TransientErrorRule[] = [
  // Too many requests (SDK, except LimitExceededException, which is a quota here).
  ...of(undefined, 'BandwidthLimitExceeded', 'EC2ThrottledException', 'PriorRequestNotComplete'),
  ...of(undefined, 'RequestLimitExceeded', 'RequestThrottled', 'RequestThrottledException', 'SlowDown'),
  ...of(undefined, 'ThrottledException', 'Throttling', 'ThrottlingException', 'TooManyRequestsException'),
  // Clock skew or a late request (SDK). A new signature fixes it.
  ...of(undefined, 'AuthFailure', 'InvalidSignatureException', 'RequestExpired', 'RequestInTheFuture'),
  ...of(undefined, 'RequestTimeTooSkewed', 'SignatureDoesNotMatch'),
  // Expired session: new credentials fix it (API, "Common Errors" of every service; S3 error codes).
  ...of(undefined, 'ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired'),
  // The request arrived too slowly (SDK, S3 error codes).
  ...of(undefined, 'RequestTimeout', 'RequestTimeoutException'),
  // ECS. API: ServerException is "a server issue"; ConflictException is a stop during a state change.
  ...of(undefined, 'ServerException'),
  ...of('StopServiceDeployment', 'ConflictException'),
  // ECS reports a reused token with other parameters: the task runs already, and the next attempt finds it.
  ...of('RunTask', 'ConflictException'),
  ...of('UpdateService', 'UpdateInProgressException'),
  // TF: ECS registers revisions of a family one at a time.
  {
    operation: 'RegisterTaskDefinition',
    error: 'ClientException',
    message: /Too many concurrent attempts to create a new revision/,
  },
  // API: the quota of tasks being provisioned is reached.
  { operation: 'RunTask', error: 'ClientException', message: /PROVISIONING/ },
  // CodeBuild. API: a concurrent creation of the project; the quota of concurrent builds.
  ...of('CreateProject', 'ResourceAlreadyExistsException'),
  ...of('StartBuild', 'AccountLimitExceededException'),
  // Lambda. API: another change of the function, alias or version is in progress.
  ...of('UpdateFunctionCode', 'ResourceConflictException', 'ResourceNotReadyException'),
  ...of('PublishVersion', 'ResourceConflictException', 'ResourceNotReadyException'),
  ...of('UpdateAlias', 'ResourceConflictException'),
  // TF: IAM has not yet propagated a new role.
  {
    operation: 'UpdateFunctionCode',
    error: 'InvalidParameterValueException',
    message: /role defined for the function cannot be assumed by Lambda/,
  },
  // SSM. API: a parameter accepts one change at a time.
  ...of('PutParameter', 'TooManyUpdates'),
  // Static sites. API: another key of the store changed; too many concurrent invalidations. S3 error codes.
  ...of('PutKey', 'ConflictException'),
  ...of('UpdateKeys', 'ConflictException'),
  ...of('CreateInvalidation', 'TooManyInvalidationsInProgress'),
  ...of('DeleteObjects', 'OperationAborted'),
  // Transient errors of logs, metrics and queues, from the API reference.
  ...of('FilterLogEvents', 'OperationAbortedException'),
  ...of(undefined, 'KmsThrottled'),
]

/** Reports whether an error is transient. Pass `operation` if it is known. */
export const isTransient = (operation: Operation | undefined, { name, message }: Error): boolean =>
  transientErrors.some(
    (one) =>
      one.error === name &&
      (one.operation === undefined || one.operation === operation) &&
      (one.message === undefined || one.message.test(message)),
  )

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
  referenceNotFound: {
    code: 'Sluice:Request:REFERENCE_NOT_FOUND',
    status: 422,
    title: 'The body names a resource that is not there.',
  },
  idempotencyKeyReused: {
    code: 'Sluice:Request:IDEMPOTENCY_KEY_REUSED',
    status: 422,
    title: 'The Idempotency-Key came with another request before.',
  },
  unauthenticated: { code: 'Sluice:Auth:UNAUTHENTICATED', status: 401, title: 'The caller is not known.' },
  forbidden: { code: 'Sluice:Auth:FORBIDDEN', status: 403, title: 'The caller may not do this.' },
  signInFailed: {
    code: 'Sluice:Auth:SIGN_IN_FAILED',
    status: 401,
    title: 'The email, the password or the organization is wrong.',
  },
  registrationClosed: {
    code: 'Sluice:Auth:REGISTRATION_CLOSED',
    status: 403,
    title: 'Nobody registers here without an invitation.',
  },
  organizationNotFound: {
    code: 'Sluice:Organizations:NOT_FOUND',
    status: 404,
    title: 'There is no such organization.',
  },
  userNotFound: { code: 'Sluice:User:NOT_FOUND', status: 404, title: 'The caller is no user but a service account.' },
  currentPasswordWrong: {
    code: 'Sluice:User:CURRENT_PASSWORD_WRONG',
    status: 422,
    title: 'The current password is wrong or missing.',
  },
  membershipNotFound: { code: 'Sluice:Memberships:NOT_FOUND', status: 404, title: 'There is no such membership.' },
  lastOwner: {
    code: 'Sluice:Memberships:LAST_OWNER',
    status: 409,
    title: 'The organization would be without an owner.',
  },
  alreadyMember: {
    code: 'Sluice:Memberships:ALREADY_MEMBER',
    status: 409,
    title: 'The user is a member of the organization already.',
  },
  invitationNotFound: {
    code: 'Sluice:Memberships:INVITATION_NOT_FOUND',
    status: 404,
    title: 'There is no such invitation, or none that can still be accepted.',
  },
  alreadyInvited: {
    code: 'Sluice:Memberships:ALREADY_INVITED',
    status: 409,
    title: 'The email is invited already.',
  },
  serviceAccountNotFound: {
    code: 'Sluice:ServiceAccounts:NOT_FOUND',
    status: 404,
    title: 'There is no such service account.',
  },
  serviceAccountNameTaken: {
    code: 'Sluice:ServiceAccounts:NAME_TAKEN',
    status: 409,
    title: 'Another service account has this name.',
  },
  apiKeyNotFound: { code: 'Sluice:ApiKeys:NOT_FOUND', status: 404, title: 'There is no such API key.' },
  crossSite: {
    code: 'Sluice:Auth:CROSS_SITE',
    status: 403,
    title: 'The request carries a session cookie and may come from another site.',
  },
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
  cloudAccountGivenIdTaken: {
    code: 'Sluice:CloudAccounts:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another cloud account has this givenId.',
  },
  cloudAccountInUse: { code: 'Sluice:CloudAccounts:IN_USE', status: 409, title: 'The cloud account is in use.' },
  cloudRoleRefused: {
    code: 'Sluice:CloudAccounts:ROLE_REFUSED',
    status: 422,
    title: 'The cloud does not let us assume the role.',
  },
  cloudRoleTooOpen: {
    code: 'Sluice:CloudAccounts:ROLE_TOO_OPEN',
    status: 422,
    title: 'The role does not ask for the external id.',
  },
  cloudRoleTaken: {
    code: 'Sluice:CloudAccounts:ROLE_TAKEN',
    status: 409,
    title: 'The role is connected already.',
  },
  cloudAccountIsAnother: {
    code: 'Sluice:CloudAccounts:ANOTHER_ACCOUNT',
    status: 422,
    title: 'The role is in another cloud account.',
  },
  cloudUnreachable: {
    code: 'Sluice:CloudAccounts:CLOUD_UNREACHABLE',
    status: 503,
    title: 'The cloud cannot be asked now.',
  },
  projectNotFound: { code: 'Sluice:Projects:NOT_FOUND', status: 404, title: 'There is no such project.' },
  projectGivenIdTaken: {
    code: 'Sluice:Projects:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another project has this givenId.',
  },
  projectInUse: { code: 'Sluice:Projects:IN_USE', status: 409, title: 'The project is in use.' },
  environmentNotFound: { code: 'Sluice:Environments:NOT_FOUND', status: 404, title: 'There is no such environment.' },
  environmentGivenIdTaken: {
    code: 'Sluice:Environments:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another environment of the project has this givenId.',
  },
  environmentInUse: { code: 'Sluice:Environments:IN_USE', status: 409, title: 'The environment is in use.' },
  executionEnvironmentNotFound: {
    code: 'Sluice:ExecutionEnvironments:NOT_FOUND',
    status: 404,
    title: 'There is no such execution environment.',
  },
  executionEnvironmentGivenIdTaken: {
    code: 'Sluice:ExecutionEnvironments:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another execution environment has this givenId.',
  },
  codeSourceNotFound: { code: 'Sluice:CodeSources:NOT_FOUND', status: 404, title: 'There is no such code source.' },
  codeSourceTaken: {
    code: 'Sluice:CodeSources:REPOSITORY_TAKEN',
    status: 409,
    title: 'The repository is connected already.',
  },
  gitHostNotConfigured: {
    code: 'Sluice:CodeSources:HOST_NOT_CONFIGURED',
    status: 503,
    title: 'The git host is not set up on this server.',
  },
  gitHostUnreachable: {
    code: 'Sluice:CodeSources:HOST_UNREACHABLE',
    status: 503,
    title: 'The git host cannot be asked now.',
  },
  gitHostRateLimited: {
    code: 'Sluice:CodeSources:HOST_RATE_LIMITED',
    status: 429,
    title: 'The git host was asked too often.',
  },
  repositoryUnreadable: {
    code: 'Sluice:CodeSources:REPOSITORY_UNREADABLE',
    status: 422,
    title: 'The git host does not let us read the repository.',
  },
  installationNotClaimed: {
    code: 'Sluice:CodeSources:INSTALLATION_NOT_CLAIMED',
    status: 422,
    title: 'The organization has not claimed the installation.',
  },
  githostaInstallationNotFound: {
    code: 'Sluice:Git:INSTALLATION_NOT_FOUND',
    status: 404,
    title: 'There is no such installation.',
  },
  githostaInstallationInUse: {
    code: 'Sluice:Git:INSTALLATION_IN_USE',
    status: 409,
    title: 'The installation is in use.',
  },
  githostbConnectionNotFound: {
    code: 'Sluice:Git:CONNECTION_NOT_FOUND',
    status: 404,
    title: 'There is no such connection.',
  },
  githostbConnectionInUse: { code: 'Sluice:Git:CONNECTION_IN_USE', status: 409, title: 'The connection is in use.' },
  githostbInstanceNotFound: {
    code: 'Sluice:Git:INSTANCE_NOT_FOUND',
    status: 404,
    title: 'There is no such instance.',
  },
  githostbInstanceTaken: {
    code: 'Sluice:Git:INSTANCE_TAKEN',
    status: 409,
    title: 'The instance is registered already.',
  },
  githostbInstanceInUse: { code: 'Sluice:Git:INSTANCE_IN_USE', status: 409, title: 'The instance is in use.' },
  webhookOfApp: {
    code: 'Sluice:Git:WEBHOOK_OF_APP',
    status: 422,
    title: 'The app at the git host brings its own webhook.',
  },
  webhookProofWrong: {
    code: 'Sluice:Git:WEBHOOK_PROOF_WRONG',
    status: 401,
    title: 'The delivery does not prove that the git host sent it.',
  },
  gitAccessDenied: {
    code: 'Sluice:OAuth:ACCESS_DENIED',
    status: 400,
    title: 'The git host gives no access.',
  },
  gitStateInvalid: {
    code: 'Sluice:OAuth:STATE_INVALID',
    status: 400,
    title: 'The state belongs to nothing that was begun here.',
  },
  defaultValueDefinitionNotFound: {
    code: 'Sluice:DefaultValueDefinitions:NOT_FOUND',
    status: 404,
    title: 'There is no such default value definition.',
  },
  defaultValueKeyTaken: {
    code: 'Sluice:DefaultValueDefinitions:KEY_TAKEN',
    status: 409,
    title: 'Another definition has this key.',
  },
  defaultValueDefinitionInUse: {
    code: 'Sluice:DefaultValueDefinitions:IN_USE',
    status: 409,
    title: 'The definition has values.',
  },
  defaultValuesDoNotMatch: {
    code: 'Sluice:DefaultValueDefinitions:VALUES_DO_NOT_MATCH',
    status: 422,
    title: 'Values that are set do not match the new schema.',
  },
  defaultValueNotFound: {
    code: 'Sluice:DefaultValues:NOT_FOUND',
    status: 404,
    title: 'There is no such default value.',
  },
  defaultValueTaken: {
    code: 'Sluice:DefaultValues:ALREADY_SET',
    status: 409,
    title: 'The value is set already.',
  },
  deploymentNotFound: { code: 'Sluice:Deployments:NOT_FOUND', status: 404, title: 'There is no such deployment.' },

  moduleInstanceGivenIdTaken: {
    code: 'Sluice:ModuleInstances:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another module instance of the environment has this givenId.',
  },
  moduleInstanceInUse: { code: 'Sluice:ModuleInstances:IN_USE', status: 409, title: 'The module instance is in use.' },
  moduleInstanceDestroyed: {
    code: 'Sluice:ModuleInstances:DESTROYED',
    status: 422,
    title: 'The module instance is destroyed.',
  },
  moduleInputInvalid: {
    code: 'Sluice:ModuleInstances:INPUT_INVALID',
    status: 400,
    title: 'The input is not what the module takes.',
  },
  moduleHasNoVersion: {
    code: 'Sluice:ModuleInstances:NO_VERSION',
    status: 422,
    title: 'The module definition has no version yet.',
  },
  moduleVersionMismatch: {
    code: 'Sluice:ModuleInstances:VERSION_MISMATCH',
    status: 422,
    title: 'The module version is not one of the module definition.',
  },
  stackNotAvailable: {
    code: 'Sluice:ModuleInstances:STACK_NOT_AVAILABLE',
    status: 422,
    title: 'The module instance has no infrastructure that can be changed from here.',
  },
  stackInvalid: {
    code: 'Sluice:ModuleInstances:STACK_INVALID',
    status: 422,
    title: 'What the stack block of the module comes to cannot be run.',
  },
  moduleDefinitionTypeTaken: {
    code: 'Sluice:ModuleDefinitions:TYPE_TAKEN',
    status: 409,
    title: 'Another module definition has this type.',
  },
  moduleDefinitionInUse: {
    code: 'Sluice:ModuleDefinitions:IN_USE',
    status: 409,
    title: 'The module definition is in use.',
  },
  moduleVersionNotFound: {
    code: 'Sluice:ModuleVersions:NOT_FOUND',
    status: 404,
    title: 'There is no such module version.',
  },
  moduleVersionTaken: {
    code: 'Sluice:ModuleVersions:VERSION_TAKEN',
    status: 409,
    title: 'The module definition has this version already.',
  },
  moduleVersionInUse: { code: 'Sluice:ModuleVersions:IN_USE', status: 409, title: 'The module version is in use.' },
  moduleConfigInvalid: {
    code: 'Sluice:ModuleVersions:CONFIG_INVALID',
    status: 400,
    title: 'The config is not what a module version takes.',
  },
  pipelineNotFound: { code: 'Sluice:Pipelines:NOT_FOUND', status: 404, title: 'There is no such pipeline.' },
  pipelineGivenIdTaken: {
    code: 'Sluice:Pipelines:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another pipeline of the project has this givenId.',
  },
  pipelineInUse: { code: 'Sluice:Pipelines:IN_USE', status: 409, title: 'The pipeline is in use.' },
  pipelineVersionNotFound: {
    code: 'Sluice:PipelineVersions:NOT_FOUND',
    status: 404,
    title: 'There is no such pipeline version.',
  },
  pipelineConfigInvalid: {
    code: 'Sluice:PipelineVersions:CONFIG_INVALID',
    status: 400,
    title: 'The config is not what a pipeline version takes.',
  },
  pipelineRunNotFound: { code: 'Sluice:PipelineRuns:NOT_FOUND', status: 404, title: 'There is no such pipeline run.' },
  pipelineHasNoVersion: {
    code: 'Sluice:PipelineRuns:NO_VERSION',
    status: 422,
    title: 'The pipeline has no version to run.',
  },
  pipelineVersionMismatch: {
    code: 'Sluice:PipelineRuns:VERSION_MISMATCH',
    status: 422,
    title: 'The pipeline version is not one of the pipeline.',
  },
  runInputInvalid: {
    code: 'Sluice:PipelineRuns:INPUT_INVALID',
    status: 400,
    title: 'The inputs are not what the pipeline takes.',
  },
  runTemplateFailed: {
    code: 'Sluice:PipelineRuns:TEMPLATE_FAILED',
    status: 422,
    title: 'A template of the pipeline comes to nothing with these inputs.',
  },
  runGroupBusy: {
    code: 'Sluice:PipelineRuns:GROUP_BUSY',
    status: 422,
    title: 'Another run of its concurrency group is not over.',
  },
  runChainTooLong: {
    code: 'Sluice:PipelineRuns:CHAIN_TOO_LONG',
    status: 422,
    title: 'Too many runs set each other off, one after the other.',
  },
  pipelineRunOver: { code: 'Sluice:PipelineRuns:ALREADY_FINISHED', status: 422, title: 'The pipeline run is over.' },
  pipelineStepExecutionNotFound: {
    code: 'Sluice:PipelineStepExecutions:NOT_FOUND',
    status: 404,
    title: 'There is no such step execution.',
  },
  notApprover: {
    code: 'Sluice:PipelineStepExecutions:NOT_AN_APPROVER',
    status: 403,
    title: 'The step asks others for approval.',
  },
  notAwaitingApproval: {
    code: 'Sluice:PipelineStepExecutions:NOT_AWAITING_APPROVAL',
    status: 422,
    title: 'The step does not wait for approval.',
  },
  stackNotFound: { code: 'Sluice:Stacks:NOT_FOUND', status: 404, title: 'There is no such stack.' },
  stackGivenIdTaken: {
    code: 'Sluice:Stacks:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another stack of the project has this givenId.',
  },
  stackInUse: { code: 'Sluice:Stacks:IN_USE', status: 409, title: 'The stack is in use.' },
  stackWorkspaceNotFound: {
    code: 'Sluice:StackWorkspaces:NOT_FOUND',
    status: 404,
    title: 'There is no such workspace.',
  },
  stackWorkspaceNameTaken: {
    code: 'Sluice:StackWorkspaces:NAME_TAKEN',
    status: 409,
    title: 'Another workspace of the stack has this name.',
  },
  stackWorkspaceInUse: { code: 'Sluice:StackWorkspaces:IN_USE', status: 409, title: 'The workspace is in use.' },
  stackWorkspaceLocked: {
    code: 'Sluice:StackWorkspaces:LOCKED',
    status: 409,
    title: 'Somebody holds the lock of the state.',
  },
  stackWorkspaceNotLocked: {
    code: 'Sluice:StackWorkspaces:NOT_LOCKED',
    status: 422,
    title: 'Nobody holds the lock of the state.',
  },
  iacStateVersionNotFound: { code: 'Sluice:IacStates:NOT_FOUND', status: 404, title: 'There is no such state.' },
  iacStateUnreadable: {
    code: 'Sluice:IacStates:UNREADABLE',
    status: 503,
    title: 'The state cannot be opened with the present key of the service.',
  },
  iacPlanUnknown: { code: 'Sluice:IacPlans:NOT_FOUND', status: 404, title: 'There is no such plan.' },
  iacResourceNotFound: { code: 'Sluice:IacResources:NOT_FOUND', status: 404, title: 'There is no such resource.' },

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

/** Refusals that no route declares because every route that needs a caller has them. */
export const guardRefusals = ['unauthenticated', 'forbidden', 'crossSite'] as const satisfies readonly RefusalKey[]

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
  stepRejected: { code: 'Sluice:PipelineRuns:STEP_REJECTED', title: 'Somebody turned down a step of it.' },
  runSuperseded: {
    code: 'Sluice:PipelineRuns:SUPERSEDED',
    title: 'A newer run of its concurrency group took its place.',
  },
  runCancelled: { code: 'Sluice:PipelineRuns:CANCELLED', title: 'It was cancelled.' },
  runTimedOut: { code: 'Sluice:PipelineRuns:TIMED_OUT', title: 'It was not over in time.' },
  stepFailed: { code: 'Sluice:PipelineRuns:STEP_FAILED', title: 'A step of it failed.' },
  stepTimedOut: { code: 'Sluice:PipelineRuns:STEP_TIMED_OUT', title: 'It took too long and was stopped.' },
  stepTypeUnknown: { code: 'Sluice:PipelineRuns:STEP_TYPE_UNKNOWN', title: 'There are no steps of this type.' },
  templateInvalid: { code: 'Sluice:PipelineRuns:TEMPLATE_INVALID', title: 'A template of it came to nothing usable.' },
  stackMissing: { code: 'Sluice:PipelineRuns:STACK_MISSING', title: 'The stack that it works on is not there.' },
  deploymentMissing: {
    code: 'Sluice:PipelineRuns:DEPLOYMENT_MISSING',
    title: 'There is no deployment for it to go on with.',
  },
  targetMissing: { code: 'Sluice:PipelineRuns:TARGET_MISSING', title: 'What it names is not there.' },
  deploymentFailed: { code: 'Sluice:PipelineRuns:DEPLOYMENT_FAILED', title: 'Its deployment failed.' },
  requestFailed: { code: 'Sluice:PipelineRuns:REQUEST_FAILED', title: 'Its request was not answered as expected.' },
  childRunFailed: { code: 'Sluice:PipelineRuns:CHILD_RUN_FAILED', title: 'The run that it started failed.' },
  approvalExpired: { code: 'Sluice:PipelineRuns:APPROVAL_EXPIRED', title: 'Nobody decided in time.' },
  commandFailed: { code: 'Sluice:PipelineRuns:COMMAND_FAILED', title: 'The program ended with a failure.' },
  commandOutputInvalid: {
    code: 'Sluice:PipelineRuns:COMMAND_OUTPUT_INVALID',
    title: 'What the program wrote as its output is not a JSON object.',
  },
  programMissing: { code: 'Sluice:PipelineRuns:PROGRAM_MISSING', title: 'The runner does not have the program.' },
  workingDirectoryInvalid: {
    code: 'Sluice:PipelineRuns:WORKING_DIRECTORY_INVALID',
    title: 'The working directory is not a folder of the source.',
  },
  sourceUnavailable: { code: 'Sluice:PipelineRuns:SOURCE_UNAVAILABLE', title: 'The files of the step cannot be had.' },
  stepBroke: { code: 'Sluice:PipelineRuns:STEP_BROKE', title: 'Sluice failed at a step of it.' },
  runnerLost: { code: 'Sluice:PipelineRuns:RUNNER_LOST', title: 'The runner that carried it out is gone.' },
  stackNotRun: {
    code: 'Sluice:ModuleInstances:STACK_NOT_RUN',
    title: 'The run of its infrastructure could not be started.',
  },
  applyBeforeFailed: {
    code: 'Sluice:ModuleInstances:APPLY_BEFORE_FAILED',
    title: 'An instance that had to be applied before it was not.',
  },
  iacToolMissing: {
    code: 'Sluice:Iac:TOOL_MISSING',
    title: 'The runner does not have the tool, or not this version of it.',
  },
  iacStepInvalid: { code: 'Sluice:Iac:STEP_INVALID', title: 'What the step was given does not fit.' },
  iacSourceUnavailable: { code: 'Sluice:Iac:SOURCE_UNAVAILABLE', title: 'The configuration cannot be had.' },
  iacCloudAccessFailed: {
    code: 'Sluice:Iac:CLOUD_ACCESS_FAILED',
    title: 'There are no credentials for the cloud account.',
  },
  iacInitFailed: { code: 'Sluice:Iac:INIT_FAILED', title: 'The configuration could not be prepared.' },
  iacPlanFailed: { code: 'Sluice:Iac:PLAN_FAILED', title: 'The changes could not be planned.' },
  iacPlanNotFound: { code: 'Sluice:Iac:PLAN_NOT_FOUND', title: 'No earlier step has made a plan that can be applied.' },
  iacPlanStale: {
    code: 'Sluice:Iac:PLAN_STALE',
    title: 'The plan was made for a state or a configuration that is not the present one.',
  },
  iacPlanUsed: { code: 'Sluice:Iac:PLAN_USED', title: 'The plan was applied before, or rejected.' },
  iacApplyFailed: { code: 'Sluice:Iac:APPLY_FAILED', title: 'Not every change could be made.' },
  iacApplyInterrupted: {
    code: 'Sluice:Iac:APPLY_INTERRUPTED',
    title: 'The runner was lost while it applied a plan; nothing is applied twice.',
  },
  iacResourceFailed: { code: 'Sluice:Iac:RESOURCE_FAILED', title: 'The resource could not be changed.' },
  iacStateLocked: { code: 'Sluice:Iac:STATE_LOCKED', title: 'Somebody else holds the lock of the state.' },
  stoppedOutside: { code: 'Sluice:Deployments:STOPPED_OUTSIDE', title: 'It was stopped at the cloud, not here.' },
} as const satisfies Record<string, ErrorEntry>

export type FailureKey = keyof typeof failures

import type { ApiErrorEntry, ErrorEntry } from './entry.ts'

export const pipelineErrors = {
  pipelineNotFound: { code: 'Sluice:Pipelines:NOT_FOUND', status: 404, title: 'The pipeline does not exist.' },
  pipelineGivenIdTaken: {
    code: 'Sluice:Pipelines:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another pipeline of the project has this `givenId`.',
  },
  pipelineInUse: { code: 'Sluice:Pipelines:IN_USE', status: 409, title: 'The pipeline is in use.' },
  pipelineVersionNotFound: {
    code: 'Sluice:PipelineVersions:NOT_FOUND',
    status: 404,
    title: 'The pipeline version does not exist.',
  },
  noVersionApprovalAwaited: {
    code: 'Sluice:PipelineVersions:NO_PENDING_APPROVAL',
    status: 422,
    title: 'No policy requires approval of the pipeline version.',
  },
  pipelineConfigInvalid: {
    code: 'Sluice:PipelineVersions:CONFIG_INVALID',
    status: 400,
    title: 'The pipeline configuration is invalid.',
  },
  pipelineRunNotFound: {
    code: 'Sluice:PipelineRuns:NOT_FOUND',
    status: 404,
    title: 'The pipeline run does not exist.',
  },
  pipelineHasNoVersion: {
    code: 'Sluice:PipelineRuns:NO_VERSION',
    status: 422,
    title: 'The pipeline has no version to run.',
  },
  pipelineVersionMismatch: {
    code: 'Sluice:PipelineRuns:VERSION_MISMATCH',
    status: 422,
    title: 'The pipeline version belongs to another pipeline.',
  },
  runInputInvalid: {
    code: 'Sluice:PipelineRuns:INPUT_INVALID',
    status: 400,
    title: 'The inputs do not match the pipeline.',
  },
  runTemplateFailed: {
    code: 'Sluice:PipelineRuns:TEMPLATE_FAILED',
    status: 422,
    title: 'A template of the pipeline cannot be evaluated with these inputs.',
  },
  runPlaceUnknown: {
    code: 'Sluice:PipelineRuns:EXECUTION_ENVIRONMENT_NOT_FOUND',
    status: 422,
    title: 'The execution environment of the run does not exist.',
  },
  runGroupBusy: {
    code: 'Sluice:PipelineRuns:GROUP_BUSY',
    status: 422,
    title: 'Another run of the concurrency group is in progress.',
  },
  runChainTooLong: {
    code: 'Sluice:PipelineRuns:CHAIN_TOO_LONG',
    status: 422,
    title: 'The chain of runs that trigger each other is too long.',
  },
  pipelineRunOver: {
    code: 'Sluice:PipelineRuns:ALREADY_FINISHED',
    status: 422,
    title: 'The pipeline run has finished.',
  },
  pipelineRunNotRetriable: {
    code: 'Sluice:PipelineRuns:NOT_RETRIABLE',
    status: 422,
    title: 'The pipeline run did not end in ERROR or CANCELLED.',
  },
  pipelineRunRetried: {
    code: 'Sluice:PipelineRuns:ALREADY_RETRIED',
    status: 409,
    title: 'The pipeline run was already retried.',
  },
  pipelineRunOutdated: {
    code: 'Sluice:PipelineRuns:OUTDATED',
    status: 422,
    title: 'A later run of the module instance superseded the pipeline run.',
  },
  stepNotSkippable: {
    code: 'Sluice:PipelineRuns:STEP_NOT_SKIPPABLE',
    status: 422,
    title: 'The retry cannot skip these steps.',
  },
  pipelineStepExecutionNotFound: {
    code: 'Sluice:PipelineStepExecutions:NOT_FOUND',
    status: 404,
    title: 'The step execution does not exist.',
  },
  stepLogUnreadable: {
    code: 'Sluice:PipelineStepExecutions:LOG_UNREADABLE',
    status: 503,
    title: 'The log is archived, and the archive is unavailable.',
  },
  notApprover: {
    code: 'Sluice:PipelineStepExecutions:NOT_AN_APPROVER',
    status: 403,
    title: 'The step names other approvers.',
  },
  notAwaitingApproval: {
    code: 'Sluice:PipelineStepExecutions:NOT_AWAITING_APPROVAL',
    status: 422,
    title: 'The step is not waiting for approval.',
  },
  askedAnew: {
    code: 'Sluice:PipelineStepExecutions:APPROVAL_REQUESTED_AGAIN',
    status: 422,
    title: 'The step has requested approval again since.',
  },
  attemptOver: {
    code: 'Sluice:Runners:ATTEMPT_ENDED',
    status: 410,
    title: 'The attempt of the token has ended.',
  },
  runnerMismatch: {
    code: 'Sluice:Runners:VERSION_MISMATCH',
    status: 409,
    title: 'The versions of the runner and the API are incompatible.',
  },
} as const satisfies Record<string, ApiErrorEntry>

export const pipelineFailures = {
  stepRejected: { code: 'Sluice:PipelineRuns:STEP_REJECTED', title: 'A step was rejected.' },
  runSuperseded: {
    code: 'Sluice:PipelineRuns:SUPERSEDED',
    title: 'A newer run of the concurrency group superseded the run.',
  },
  runBeyondRights: {
    code: 'Sluice:PipelineRuns:BEYOND_RIGHTS',
    title: 'The principal that the run acts for does not have permission for a step.',
  },
  runCancelled: { code: 'Sluice:PipelineRuns:CANCELLED', title: 'The run or step was cancelled.' },
  runTimedOut: { code: 'Sluice:PipelineRuns:TIMED_OUT', title: 'The run timed out.' },
  stepFailed: { code: 'Sluice:PipelineRuns:STEP_FAILED', title: 'A step failed.' },
  stepTimedOut: { code: 'Sluice:PipelineRuns:STEP_TIMED_OUT', title: 'The step timed out and was stopped.' },
  stepTypeUnknown: { code: 'Sluice:PipelineRuns:STEP_TYPE_UNKNOWN', title: 'The step type does not exist.' },
  templateInvalid: {
    code: 'Sluice:PipelineRuns:TEMPLATE_INVALID',
    title: 'A template of the step has no usable value.',
  },
  noExecutionEnvironment: {
    code: 'Sluice:PipelineRuns:NO_EXECUTION_ENVIRONMENT',
    title:
      'No runner is available: the step names no execution environment, and the installation has no shared runners.',
  },
  stackMissing: { code: 'Sluice:PipelineRuns:STACK_MISSING', title: 'The stack of the step does not exist.' },
  deploymentMissing: {
    code: 'Sluice:PipelineRuns:DEPLOYMENT_MISSING',
    title: 'There is no deployment to continue.',
  },
  targetMissing: { code: 'Sluice:PipelineRuns:TARGET_MISSING', title: 'A resource named by the step does not exist.' },
  deploymentFailed: { code: 'Sluice:PipelineRuns:DEPLOYMENT_FAILED', title: 'The deployment of the step failed.' },
  rehearsalNotPassed: {
    code: 'Sluice:PipelineRuns:REHEARSAL_NOT_PASSED',
    title: 'The rehearsal shows that the release would not succeed.',
  },
  requestFailed: {
    code: 'Sluice:PipelineRuns:REQUEST_FAILED',
    title: 'The response to the request was not as expected.',
  },
  childRunFailed: { code: 'Sluice:PipelineRuns:CHILD_RUN_FAILED', title: 'The run that the step started failed.' },
  approvalExpired: {
    code: 'Sluice:PipelineRuns:APPROVAL_EXPIRED',
    title: 'The approval request timed out without a decision.',
  },
  commandFailed: { code: 'Sluice:PipelineRuns:COMMAND_FAILED', title: 'The program failed.' },
  commandOutputInvalid: {
    code: 'Sluice:PipelineRuns:COMMAND_OUTPUT_INVALID',
    title: 'The output that the program wrote is not a JSON object.',
  },
  stepArtifactInvalid: {
    code: 'Sluice:PipelineRuns:ARTIFACT_INVALID',
    title: 'The files that a step passes to later steps cannot be stored.',
  },
  stepArtifactNotFound: {
    code: 'Sluice:PipelineRuns:ARTIFACT_NOT_FOUND',
    title: 'No earlier step of the run has uploaded the artifact.',
  },
  programsNotIsolated: {
    code: 'Sluice:PipelineRuns:PROGRAMS_NOT_ISOLATED',
    title: 'The runner cannot isolate programs of several organizations.',
  },
  programOverLimit: {
    code: 'Sluice:PipelineRuns:PROGRAM_OVER_LIMIT',
    title: "The program exceeded the runner's limits for memory, disk or files.",
  },
  storageFull: {
    code: 'Sluice:PipelineRuns:STORAGE_FULL',
    title: 'The organization has reached its storage limit.',
  },
  programMissing: { code: 'Sluice:PipelineRuns:PROGRAM_MISSING', title: 'The runner does not have the program.' },
  workingDirectoryInvalid: {
    code: 'Sluice:PipelineRuns:WORKING_DIRECTORY_INVALID',
    title: 'The working directory is not a directory of the source.',
  },
  sourceUnavailable: {
    code: 'Sluice:PipelineRuns:SOURCE_UNAVAILABLE',
    title: 'The files of the step are not available.',
  },
  stepBroke: { code: 'Sluice:PipelineRuns:STEP_BROKE', title: 'Sluice failed to execute a step.' },
  runnerTaskNotStarted: {
    code: 'Sluice:PipelineRuns:RUNNER_TASK_NOT_STARTED',
    title: 'The task for the step did not start in the cloud.',
  },
  runnerTaskEnded: {
    code: 'Sluice:PipelineRuns:RUNNER_TASK_ENDED',
    title: 'The task of the step ended in the cloud before the step finished.',
  },
  runnerLost: { code: 'Sluice:PipelineRuns:RUNNER_LOST', title: 'The runner of the step was lost.' },
} as const satisfies Record<string, ErrorEntry>

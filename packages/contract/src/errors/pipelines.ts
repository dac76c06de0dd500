import type { ErrorEntry, RefusalEntry } from './entry.ts'

export const pipelineRefusals = {
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
  noVersionApprovalAwaited: {
    code: 'Sluice:PipelineVersions:NO_APPROVAL_AWAITED',
    status: 422,
    title: 'No policy asks for approval of the pipeline version.',
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
    title: 'A template of the pipeline has no value with these inputs.',
  },
  runPlaceUnknown: {
    code: 'Sluice:PipelineRuns:EXECUTION_ENVIRONMENT_NOT_FOUND',
    status: 422,
    title: 'The execution environment that it is to run in is not there.',
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
  pipelineRunNotRetriable: {
    code: 'Sluice:PipelineRuns:NOT_RETRIABLE',
    status: 422,
    title: 'The pipeline run did not end in ERROR or CANCELLED.',
  },
  pipelineRunRetried: {
    code: 'Sluice:PipelineRuns:ALREADY_RETRIED',
    status: 409,
    title: 'The pipeline run was retried already.',
  },
  pipelineRunOutdated: {
    code: 'Sluice:PipelineRuns:OUTDATED',
    status: 422,
    title: 'A later run of its module instance took its place.',
  },
  stepNotSkippable: {
    code: 'Sluice:PipelineRuns:STEP_NOT_SKIPPABLE',
    status: 422,
    title: 'The retry cannot skip these steps.',
  },
  pipelineStepExecutionNotFound: {
    code: 'Sluice:PipelineStepExecutions:NOT_FOUND',
    status: 404,
    title: 'There is no such step execution.',
  },
  stepLogUnreadable: {
    code: 'Sluice:PipelineStepExecutions:LOG_UNREADABLE',
    status: 503,
    title: 'The log is in an archive that cannot be read now.',
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
  askedAnew: {
    code: 'Sluice:PipelineStepExecutions:ASKED_ANEW',
    status: 422,
    title: 'The step has asked anew since.',
  },
  attemptOver: {
    code: 'Sluice:Runners:ATTEMPT_OVER',
    status: 410,
    title: 'The attempt that the token speaks for is over.',
  },
  runnerMismatch: {
    code: 'Sluice:Runners:VERSION_MISMATCH',
    status: 409,
    title: 'The runner and the API are of releases that do not work together.',
  },
} as const satisfies Record<string, RefusalEntry>

export const pipelineFailures = {
  stepRejected: { code: 'Sluice:PipelineRuns:STEP_REJECTED', title: 'Somebody turned down a step of it.' },
  runSuperseded: {
    code: 'Sluice:PipelineRuns:SUPERSEDED',
    title: 'A newer run of its concurrency group took its place.',
  },
  runBeyondRights: {
    code: 'Sluice:PipelineRuns:BEYOND_RIGHTS',
    title: 'Whom the run acts for may not do there what a step of it does.',
  },
  runCancelled: { code: 'Sluice:PipelineRuns:CANCELLED', title: 'It was cancelled.' },
  runTimedOut: { code: 'Sluice:PipelineRuns:TIMED_OUT', title: 'It was not over in time.' },
  stepFailed: { code: 'Sluice:PipelineRuns:STEP_FAILED', title: 'A step of it failed.' },
  stepTimedOut: { code: 'Sluice:PipelineRuns:STEP_TIMED_OUT', title: 'It took too long and was stopped.' },
  stepTypeUnknown: { code: 'Sluice:PipelineRuns:STEP_TYPE_UNKNOWN', title: 'There are no steps of this type.' },
  templateInvalid: { code: 'Sluice:PipelineRuns:TEMPLATE_INVALID', title: 'A template of it has no usable value.' },
  noExecutionEnvironment: {
    code: 'Sluice:PipelineRuns:NO_EXECUTION_ENVIRONMENT',
    title:
      'There is no runner for it: it names no execution environment, and the installation has no runners of its own.',
  },
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
  programsNotIsolated: {
    code: 'Sluice:PipelineRuns:PROGRAMS_NOT_ISOLATED',
    title: 'The runner cannot keep programs of several organizations apart.',
  },
  programOverLimit: {
    code: 'Sluice:PipelineRuns:PROGRAM_OVER_LIMIT',
    title: 'The program took more memory, disk or files than the runner allows.',
  },
  storageFull: {
    code: 'Sluice:PipelineRuns:STORAGE_FULL',
    title: 'The organization stores as much as it may.',
  },
  programMissing: { code: 'Sluice:PipelineRuns:PROGRAM_MISSING', title: 'The runner does not have the program.' },
  workingDirectoryInvalid: {
    code: 'Sluice:PipelineRuns:WORKING_DIRECTORY_INVALID',
    title: 'The working directory is not a folder of the source.',
  },
  sourceUnavailable: { code: 'Sluice:PipelineRuns:SOURCE_UNAVAILABLE', title: 'The files of the step cannot be had.' },
  stepBroke: { code: 'Sluice:PipelineRuns:STEP_BROKE', title: 'Sluice failed at a step of it.' },
  runnerTaskNotStarted: {
    code: 'Sluice:PipelineRuns:RUNNER_TASK_NOT_STARTED',
    title: 'The task that was to carry it out did not start in the cloud.',
  },
  runnerTaskEnded: {
    code: 'Sluice:PipelineRuns:RUNNER_TASK_ENDED',
    title: 'The task that carried it out ended in the cloud before it was done.',
  },
  runnerLost: { code: 'Sluice:PipelineRuns:RUNNER_LOST', title: 'The runner that carried it out is gone.' },
} as const satisfies Record<string, ErrorEntry>

import type { ApiErrorEntry, ErrorEntry } from './entry.ts'

export const infrastructureErrors = {
  stackNotFound: { code: 'Sluice:Stacks:NOT_FOUND', status: 404, title: 'The stack does not exist.' },
  stackGivenIdTaken: {
    code: 'Sluice:Stacks:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another stack of the project has this `givenId`.',
  },
  stackInUse: { code: 'Sluice:Stacks:IN_USE', status: 409, title: 'The stack is in use.' },
  stackWorkspaceNotFound: {
    code: 'Sluice:StackWorkspaces:NOT_FOUND',
    status: 404,
    title: 'The workspace does not exist.',
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
    title: 'The state is locked.',
  },
  stackWorkspaceNotLocked: {
    code: 'Sluice:StackWorkspaces:NOT_LOCKED',
    status: 422,
    title: 'The state is not locked.',
  },
  iacStateVersionNotFound: {
    code: 'Sluice:IacStates:NOT_FOUND',
    status: 404,
    title: 'The state version does not exist.',
  },
  iacStateUnreadable: {
    code: 'Sluice:IacStates:UNREADABLE',
    status: 503,
    title: 'The state cannot be decrypted with the current key of the service.',
  },
  iacPlanUnknown: { code: 'Sluice:IacPlans:NOT_FOUND', status: 404, title: 'The plan does not exist.' },
  iacResourceNotFound: { code: 'Sluice:IacResources:NOT_FOUND', status: 404, title: 'The resource does not exist.' },
} as const satisfies Record<string, ApiErrorEntry>

export const infrastructureFailures = {
  iacToolMissing: {
    code: 'Sluice:Iac:TOOL_MISSING',
    title: 'The runner does not have the tool, or not this version of it.',
  },
  iacStepInvalid: { code: 'Sluice:Iac:STEP_INVALID', title: 'The inputs of the step are invalid.' },
  iacSourceUnavailable: { code: 'Sluice:Iac:SOURCE_UNAVAILABLE', title: 'The configuration is not available.' },
  iacCloudAccessFailed: {
    code: 'Sluice:Iac:CLOUD_ACCESS_FAILED',
    title: 'No credentials are available for the cloud account.',
  },
  iacInitFailed: { code: 'Sluice:Iac:INIT_FAILED', title: 'The configuration could not be initialized.' },
  iacPlanFailed: { code: 'Sluice:Iac:PLAN_FAILED', title: 'Planning failed.' },
  iacPlanNotFound: { code: 'Sluice:Iac:PLAN_NOT_FOUND', title: 'No earlier step created a plan that can be applied.' },
  iacPlanStale: {
    code: 'Sluice:Iac:PLAN_STALE',
    title: 'The plan is stale: the state or the configuration has changed.',
  },
  iacPlanUsed: { code: 'Sluice:Iac:PLAN_USED', title: 'The plan was already applied or rejected.' },
  iacApplyFailed: { code: 'Sluice:Iac:APPLY_FAILED', title: 'Not all changes could be applied.' },
  iacApplyInterrupted: {
    code: 'Sluice:Iac:APPLY_INTERRUPTED',
    title: 'The runner was lost while applying a plan; nothing is applied twice.',
  },
  iacResourceFailed: { code: 'Sluice:Iac:RESOURCE_FAILED', title: 'The resource could not be changed.' },
  iacStateLocked: { code: 'Sluice:Iac:STATE_LOCKED', title: 'Another holder has locked the state.' },
} as const satisfies Record<string, ErrorEntry>

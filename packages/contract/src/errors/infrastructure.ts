import type { ErrorEntry, RefusalEntry } from './entry.ts'

export const infrastructureRefusals = {
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
} as const satisfies Record<string, RefusalEntry>

export const infrastructureFailures = {
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
} as const satisfies Record<string, ErrorEntry>

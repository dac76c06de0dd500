import type { ApiErrorEntry, ErrorEntry } from './entry.ts'

export const moduleErrors = {
  moduleDefinitionNotFound: {
    code: 'Sluice:ModuleDefinitions:NOT_FOUND',
    status: 404,
    title: 'The module definition does not exist.',
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
    title: 'The module version does not exist.',
  },
  moduleVersionTaken: {
    code: 'Sluice:ModuleVersions:VERSION_TAKEN',
    status: 409,
    title: 'The module definition already has this version.',
  },
  moduleVersionInUse: { code: 'Sluice:ModuleVersions:IN_USE', status: 409, title: 'The module version is in use.' },
  moduleConfigInvalid: {
    code: 'Sluice:ModuleVersions:CONFIG_INVALID',
    status: 400,
    title: 'The module configuration is invalid.',
  },
  moduleInstanceNotFound: {
    code: 'Sluice:ModuleInstances:NOT_FOUND',
    status: 404,
    title: 'The module instance does not exist.',
  },
  moduleInstanceGivenIdTaken: {
    code: 'Sluice:ModuleInstances:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another module instance of the environment has this `givenId`.',
  },
  moduleInstanceInUse: { code: 'Sluice:ModuleInstances:IN_USE', status: 409, title: 'The module instance is in use.' },
  moduleInstanceDestroyed: {
    code: 'Sluice:ModuleInstances:DESTROYED',
    status: 422,
    title: 'The module instance was destroyed.',
  },
  moduleInputInvalid: {
    code: 'Sluice:ModuleInstances:INPUT_INVALID',
    status: 400,
    title: 'The input does not match the module.',
  },
  moduleHasNoVersion: {
    code: 'Sluice:ModuleInstances:NO_VERSION',
    status: 422,
    title: 'The module definition has no version.',
  },
  moduleVersionMismatch: {
    code: 'Sluice:ModuleInstances:VERSION_MISMATCH',
    status: 422,
    title: 'The module version belongs to another module definition.',
  },
  stackNotAvailable: {
    code: 'Sluice:ModuleInstances:STACK_NOT_AVAILABLE',
    status: 422,
    title: 'The module instance has no infrastructure that Sluice can change.',
  },
  stackInvalid: {
    code: 'Sluice:ModuleInstances:STACK_INVALID',
    status: 422,
    title: 'The rendered stack block of the module cannot be run.',
  },
  importNotPossible: {
    code: 'Sluice:ModuleInstances:IMPORT_NOT_POSSIBLE',
    status: 422,
    title: 'The running resource cannot be imported.',
  },
  importTaken: {
    code: 'Sluice:ModuleInstances:IMPORT_TAKEN',
    status: 409,
    title: 'A module instance already releases to the resource.',
  },
  importRefused: {
    code: 'Sluice:ModuleInstances:IMPORT_ACCESS_DENIED',
    status: 422,
    title: 'The cloud denied reading the running resource.',
  },
  monitorSourceNotFound: {
    code: 'Sluice:CloudMonitor:SOURCE_NOT_FOUND',
    status: 404,
    title: 'The module instance has no such log or metric.',
  },
  monitorSourceNotConnected: {
    code: 'Sluice:CloudMonitor:NOT_CONNECTED',
    status: 422,
    title: 'The cloud account of the log or metric is not connected.',
  },
  monitorSourceRefused: {
    code: 'Sluice:CloudMonitor:ACCESS_DENIED',
    status: 422,
    title: 'The cloud denied reading the log or metric.',
  },
} as const satisfies Record<string, ApiErrorEntry>

export const moduleFailures = {
  stackNotRun: {
    code: 'Sluice:ModuleInstances:STACK_NOT_RUN',
    title: 'The infrastructure run could not be started.',
  },
  tasksNotShown: {
    code: 'Sluice:ModuleInstances:TASKS_NOT_SHOWN',
    title: 'The cloud does not return the running tasks.',
  },
  taskNotFound: {
    code: 'Sluice:ModuleInstances:TASK_NOT_FOUND',
    title: 'The module instance currently has no such task.',
  },
  resourcesNotShown: {
    code: 'Sluice:CloudAccounts:RESOURCES_NOT_SHOWN',
    title: "The cloud does not return the account's resources.",
  },
  applyBeforeFailed: {
    code: 'Sluice:ModuleInstances:APPLY_BEFORE_FAILED',
    title: 'A module instance that had to be applied first failed.',
  },
} as const satisfies Record<string, ErrorEntry>

import type { ErrorEntry, RefusalEntry } from './entry.ts'

export const moduleRefusals = {
  moduleDefinitionNotFound: {
    code: 'Sluice:ModuleDefinitions:NOT_FOUND',
    status: 404,
    title: 'There is no such module definition.',
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
  moduleInstanceNotFound: {
    code: 'Sluice:ModuleInstances:NOT_FOUND',
    status: 404,
    title: 'There is no such module instance.',
  },
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
  importNotPossible: {
    code: 'Sluice:ModuleInstances:IMPORT_NOT_POSSIBLE',
    status: 422,
    title: 'What runs there cannot be imported as it is.',
  },
  importTaken: {
    code: 'Sluice:ModuleInstances:IMPORT_TAKEN',
    status: 409,
    title: 'A module instance releases to it already.',
  },
  importRefused: {
    code: 'Sluice:ModuleInstances:IMPORT_REFUSED',
    status: 422,
    title: 'The cloud does not show what runs there.',
  },
  monitorSourceNotFound: {
    code: 'Sluice:CloudMonitor:SOURCE_NOT_FOUND',
    status: 404,
    title: 'The module instance shows no such log or metric.',
  },
  monitorSourceNotConnected: {
    code: 'Sluice:CloudMonitor:NOT_CONNECTED',
    status: 422,
    title: 'The cloud account of the log or metric is not connected.',
  },
  monitorSourceRefused: {
    code: 'Sluice:CloudMonitor:REFUSED',
    status: 422,
    title: 'The cloud does not show the log or metric.',
  },
} as const satisfies Record<string, RefusalEntry>

export const moduleFailures = {
  stackNotRun: {
    code: 'Sluice:ModuleInstances:STACK_NOT_RUN',
    title: 'The run of its infrastructure could not be started.',
  },
  tasksNotShown: {
    code: 'Sluice:ModuleInstances:TASKS_NOT_SHOWN',
    title: 'The cloud does not show what runs.',
  },
  taskNotFound: {
    code: 'Sluice:ModuleInstances:TASK_NOT_FOUND',
    title: 'The module instance has no such task now.',
  },
  resourcesNotShown: {
    code: 'Sluice:CloudAccounts:RESOURCES_NOT_SHOWN',
    title: 'The cloud does not show what is in the account.',
  },
  applyBeforeFailed: {
    code: 'Sluice:ModuleInstances:APPLY_BEFORE_FAILED',
    title: 'An instance that had to be applied before it was not.',
  },
} as const satisfies Record<string, ErrorEntry>

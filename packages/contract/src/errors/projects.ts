import type { ApiErrorEntry } from './entry.ts'

export const projectErrors = {
  projectNotFound: { code: 'Sluice:Projects:NOT_FOUND', status: 404, title: 'The project does not exist.' },
  projectGivenIdTaken: {
    code: 'Sluice:Projects:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another project has this `givenId`.',
  },
  projectInUse: { code: 'Sluice:Projects:IN_USE', status: 409, title: 'The project is in use.' },
  environmentNotFound: { code: 'Sluice:Environments:NOT_FOUND', status: 404, title: 'The environment does not exist.' },
  environmentGivenIdTaken: {
    code: 'Sluice:Environments:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another environment of the project has this `givenId`.',
  },
  environmentInUse: { code: 'Sluice:Environments:IN_USE', status: 409, title: 'The environment is in use.' },
  executionEnvironmentNotFound: {
    code: 'Sluice:ExecutionEnvironments:NOT_FOUND',
    status: 404,
    title: 'The execution environment does not exist.',
  },
  executionEnvironmentGivenIdTaken: {
    code: 'Sluice:ExecutionEnvironments:GIVEN_ID_TAKEN',
    status: 409,
    title: 'Another execution environment has this `givenId`.',
  },
  executionEnvironmentInUse: {
    code: 'Sluice:ExecutionEnvironments:IN_USE',
    status: 409,
    title: 'The execution environment is in use.',
  },
  executionEnvironmentUnreachable: {
    code: 'Sluice:ExecutionEnvironments:UNREACHABLE',
    status: 422,
    title: 'Tasks in the cloud cannot reach this service.',
  },
  executionEnvironmentHasNoRunners: {
    code: 'Sluice:ExecutionEnvironments:HAS_NO_RUNNERS',
    status: 422,
    title: 'Runners cannot join an execution environment of this kind.',
  },
  executionAssignmentNotFound: {
    code: 'Sluice:ExecutionAssignments:NOT_FOUND',
    status: 404,
    title: 'The assignment does not exist.',
  },
  executionAssignmentTaken: {
    code: 'Sluice:ExecutionAssignments:ALREADY_SET',
    status: 409,
    title: 'The resource already has an assignment.',
  },
  runnerNotFound: { code: 'Sluice:Runners:NOT_FOUND', status: 404, title: 'The runner does not exist.' },
  runnerTokenNotFound: { code: 'Sluice:RunnerTokens:NOT_FOUND', status: 404, title: 'The token does not exist.' },
  defaultValueDefinitionNotFound: {
    code: 'Sluice:DefaultValueDefinitions:NOT_FOUND',
    status: 404,
    title: 'The default value definition does not exist.',
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
    title: 'Existing values do not match the new schema.',
  },
  defaultValueNotFound: {
    code: 'Sluice:DefaultValues:NOT_FOUND',
    status: 404,
    title: 'The default value does not exist.',
  },
  defaultValueTaken: {
    code: 'Sluice:DefaultValues:ALREADY_SET',
    status: 409,
    title: 'The default value already exists.',
  },
} as const satisfies Record<string, ApiErrorEntry>

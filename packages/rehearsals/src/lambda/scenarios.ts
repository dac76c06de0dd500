import type { scenariosOfType } from '@sluice/contract/rehearsal-scenarios'
import { commonScenarios, type Fault } from '../scenarios.ts'
import type { LambdaCopy } from './copy.ts'

const unreadable = { name: 'InvalidParameterValueException', message: 'The code cannot be read.' }

type Name = (typeof scenariosOfType)['cloud:lambda'][number]

/** Scenarios of a Lambda function. */
export const lambdaScenarios = (copy: LambdaCopy): Record<Name, Fault> => ({
  ...commonScenarios,
  TASKS_CRASH: { prepare: () => copy.setCode({ behaviour: 'inactive' }) },
  UNHEALTHY_AFTER_FIRST_SHIFT: {
    incident: {
      message: 'Calls of the new version begin to fail.',
      isDue: (newTrafficPercent) => newTrafficPercent > 0,
      breaksRequests: true,
    },
  },
  REGISTRY_UNAVAILABLE: { prepare: () => copy.setCode({ rejection: unreadable }) },
  EXTERNAL_CHANGE: {
    incident: {
      message: 'Someone else routes all calls to the old version.',
      isDue: (newTrafficPercent) => newTrafficPercent > 0,
      happen: () => copy.moveBackExternally(),
    },
  },
})

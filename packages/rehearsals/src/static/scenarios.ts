import type { scenariosOfType } from '@sluice/contract/rehearsal-scenarios'
import { commonScenarios, type Fault } from '../scenarios.ts'
import type { StaticCopy } from './copy.ts'

type Name = (typeof scenariosOfType)['cloud:static'][number]

const { NO_FAULT, CLOUD_THROTTLES, RESTART_DURING_CHANGE } = commonScenarios

/** Scenarios of a static site. */
export const staticScenarios = (copy: StaticCopy): Record<Name, Fault> => ({
  NO_FAULT,
  CLOUD_THROTTLES,
  RESTART_DURING_CHANGE,
  UNHEALTHY_AFTER_FIRST_SHIFT: {
    incident: {
      message: 'Requests to the new version begin to fail.',
      isDue: (newTrafficPercent) => newTrafficPercent > 0,
      breaksRequests: true,
    },
  },
  REGISTRY_UNAVAILABLE: { prepare: () => copy.denyFiles() },
  EXTERNAL_CHANGE: {
    incident: {
      message: 'Someone else serves the directory of the old version again.',
      isDue: (newTrafficPercent) => newTrafficPercent > 0,
      happen: () => copy.moveBackExternally(),
    },
  },
})

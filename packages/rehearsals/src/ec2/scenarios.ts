import type { scenariosOfType } from '@sluice/contract/rehearsal-scenarios'
import { commonScenarios, type Fault } from '../scenarios.ts'
import type { Ec2Copy } from './copy.ts'

type Name = (typeof scenariosOfType)['cloud:ec2'][number]

const { NO_FAULT, CLOUD_THROTTLES, RESTART_DURING_CHANGE } = commonScenarios

/** Scenarios of an Auto Scaling group. */
export const ec2Scenarios = (copy: Ec2Copy): Record<Name, Fault> => ({
  NO_FAULT,
  CLOUD_THROTTLES,
  RESTART_DURING_CHANGE,
  TASKS_CRASH: { prepare: () => copy.setBehaviour('crash') },
  UNHEALTHY_AFTER_FIRST_SHIFT: {
    incident: {
      message: 'The new version stops working on the instances that have it.',
      isDue: (newTrafficPercent) => newTrafficPercent > 0,
      happen: () => copy.setBehaviour('unhealthy'),
      breaksRequests: true,
    },
  },
  REGISTRY_UNAVAILABLE: { prepare: () => copy.setBehaviour('pull-error') },
})

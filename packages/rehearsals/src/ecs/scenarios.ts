import type { RehearsalScenarioName } from '@sluice/contract'
import { commonScenarios, type Fault } from '../scenarios.ts'
import type { EcsCopy } from './copy.ts'

/** Time until an alarm on errors fires, in milliseconds: five periods of a minute, and two minutes of evaluation. */
export const alarmAfterMs = 7 * 60_000

/** Scenarios of an ECS service. */
export const ecsScenarios = (copy: EcsCopy): Record<RehearsalScenarioName, Fault> => ({
  ...commonScenarios,
  TASKS_CRASH: { prepare: () => copy.setBehaviour('crash') },
  UNHEALTHY_AFTER_FIRST_SHIFT: {
    incident: {
      message: 'The tasks of the new version stop working.',
      isDue: (newTrafficPercent) => newTrafficPercent > 0,
      happen: ({ row }) => copy.breakNewTasks(row),
    },
  },
  ALARM_DURING_BAKE: {
    incident: {
      message: 'Requests to the new version begin to fail. Its health checks still pass.',
      isDue: (newTrafficPercent) => newTrafficPercent >= 100,
      breaksRequests: true,
      sequel: {
        afterMs: alarmAfterMs,
        message: 'The alarms of the release would go off.',
        happen: () => copy.raiseAlarms(),
      },
    },
  },
  REGISTRY_UNAVAILABLE: { prepare: () => copy.setBehaviour('pull-error') },
  CAPACITY_UNAVAILABLE: {
    prepare: () => copy.setBehaviour('no-capacity', Math.max(1, Math.ceil(copy.desiredCount / 3))),
  },
  EXTERNAL_CHANGE: {
    incident: {
      message: 'Someone else releases the old version to the service.',
      isDue: (newTrafficPercent) => newTrafficPercent > 0,
      happen: () => copy.releaseExternally(),
    },
  },
})

import type { RehearsalScenarioName } from './rehearsal.ts'

/** Label and description of each scenario. */
export const scenarioLabels: Record<RehearsalScenarioName, { label: string; description: string }> = {
  NO_FAULT: { label: 'Nothing goes wrong', description: 'New tasks become healthy, and users continue each pause.' },
  TASKS_CRASH: { label: 'New tasks crash', description: 'Each task of the new version ends soon after it starts.' },
  UNHEALTHY_AFTER_FIRST_SHIFT: {
    label: 'New tasks become unhealthy',
    description: 'The tasks of the new version stop working once they receive traffic.',
  },
  ALARM_DURING_BAKE: {
    label: 'Alarm during the bake time',
    description: 'Requests fail while health checks pass. The alarms of the release notice it.',
  },
  PAUSE_TIMES_OUT: { label: 'No one continues', description: 'Each pause waits until it times out.' },
  REGISTRY_UNAVAILABLE: { label: 'Registry unavailable', description: 'New tasks cannot pull their image.' },
  CAPACITY_UNAVAILABLE: {
    label: 'Capacity unavailable',
    description: 'Some of the new tasks find no capacity at first.',
  },
  CLOUD_THROTTLES: { label: 'Cloud throttles', description: 'The cloud rejects half of the requests for now.' },
  EXTERNAL_CHANGE: { label: 'External change', description: 'Someone else updates the service during the release.' },
  RESTART_DURING_CHANGE: { label: 'Sluice restarts', description: 'The worker stops after each change that it makes.' },
}

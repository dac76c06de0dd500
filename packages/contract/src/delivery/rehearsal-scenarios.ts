import type { DeploymentType } from './deployment.ts'

/** What goes wrong in a rehearsal, from nothing to the death of Sluice's worker. */
export const rehearsalScenarios = [
  'NO_FAULT',
  'TASKS_CRASH',
  'UNHEALTHY_AFTER_FIRST_SHIFT',
  'ALARM_DURING_BAKE',
  'PAUSE_TIMES_OUT',
  'REGISTRY_UNAVAILABLE',
  'CAPACITY_UNAVAILABLE',
  'CLOUD_THROTTLES',
  'EXTERNAL_CHANGE',
  'RESTART_DURING_CHANGE',
] as const
type ScenarioName = (typeof rehearsalScenarios)[number]

/** Faults of composed scenarios: all scenarios but the first, NO_FAULT. */
export const [, ...rehearsalFaults] = rehearsalScenarios
type Fault = (typeof rehearsalFaults)[number]

/** Faults that occur once during the release, at a share of the traffic. The others last from its start. */
export const faultsDuringRelease: readonly Fault[] = [
  'UNHEALTHY_AFTER_FIRST_SHIFT',
  'ALARM_DURING_BAKE',
  'EXTERNAL_CHANGE',
]

/**
 * Scenarios by deployment type. Only container services have alarms and capacity. Groups of instances and static sites
 * do not pause, and nothing of a static site starts.
 */
export const scenariosOfType = {
  'cloud:ecs': rehearsalScenarios,
  'cloud:ec2': [
    'NO_FAULT',
    'TASKS_CRASH',
    'UNHEALTHY_AFTER_FIRST_SHIFT',
    'REGISTRY_UNAVAILABLE',
    'CLOUD_THROTTLES',
    'RESTART_DURING_CHANGE',
  ],
  'cloud:lambda': [
    'NO_FAULT',
    'TASKS_CRASH',
    'UNHEALTHY_AFTER_FIRST_SHIFT',
    'PAUSE_TIMES_OUT',
    'REGISTRY_UNAVAILABLE',
    'CLOUD_THROTTLES',
    'EXTERNAL_CHANGE',
    'RESTART_DURING_CHANGE',
  ],
  'cloud:static': [
    'NO_FAULT',
    'UNHEALTHY_AFTER_FIRST_SHIFT',
    'REGISTRY_UNAVAILABLE',
    'CLOUD_THROTTLES',
    'EXTERNAL_CHANGE',
    'RESTART_DURING_CHANGE',
  ],
} as const satisfies Record<DeploymentType, readonly ScenarioName[]>

/** Label and description of each scenario. */
export const scenarioLabels: Record<ScenarioName, { label: string; description: string }> = {
  NO_FAULT: { label: 'Nothing goes wrong', description: 'The new version works, and users continue each pause.' },
  TASKS_CRASH: {
    label: 'The new version crashes',
    description: 'Each task of the new version ends soon after it starts, or the version of the function fails.',
  },
  UNHEALTHY_AFTER_FIRST_SHIFT: {
    label: 'The new version stops working',
    description: 'The new version stops working once it receives traffic.',
  },
  ALARM_DURING_BAKE: {
    label: 'Alarm during the bake time',
    description: 'Requests fail while health checks pass. The alarms of the release notice it.',
  },
  PAUSE_TIMES_OUT: { label: 'No one continues', description: 'Each pause waits until it times out.' },
  REGISTRY_UNAVAILABLE: {
    label: 'Registry unavailable',
    description: 'The image, the code or the files of the new version cannot be read.',
  },
  CAPACITY_UNAVAILABLE: {
    label: 'Capacity unavailable',
    description: 'Some of the new tasks find no capacity at first.',
  },
  CLOUD_THROTTLES: { label: 'Cloud throttles', description: 'The cloud rejects half of the requests for now.' },
  EXTERNAL_CHANGE: {
    label: 'External change',
    description: 'Someone else goes back to the old version during the release.',
  },
  RESTART_DURING_CHANGE: { label: 'Sluice restarts', description: 'The worker stops after each change that it makes.' },
}

type Described = { name: string; faults?: readonly { type: Fault; trafficPercent?: number; afterSeconds?: number }[] }

/**
 * Returns the label and the description of a scenario. A composed one has its own name, and no faults if an earlier
 * version of Sluice could not run it.
 */
export function describeScenario({ name, faults }: Described): { label: string; description: string } {
  if (!faults)
    return Object.hasOwn(scenarioLabels, name) ? scenarioLabels[name as ScenarioName] : { label: name, description: '' }
  return { label: name, description: faults.map(describeFault).join(' ') }
}

function describeFault({ type, trafficPercent, afterSeconds }: NonNullable<Described['faults']>[number]): string {
  const share = trafficPercent === undefined ? [] : [`at ${trafficPercent} % of the traffic`]
  const delay = afterSeconds === undefined ? [] : [`after ${afterSeconds} s`]
  return `${[scenarioLabels[type].label, ...share, ...delay].join(', ')}.`
}

type Extra = { peakTaskCount?: number; extraTaskSeconds?: number; extraCost?: { currency: string; amount: string } }

/** Returns how many tasks run at the same time, and what the extra ones cost; undefined if none run. */
export function describeExtraTasks({ peakTaskCount = 0, extraTaskSeconds = 0, extraCost }: Extra): string | undefined {
  if (peakTaskCount === 0) return undefined
  const peak = `At most ${peakTaskCount} tasks or instances run at the same time.`
  if (extraTaskSeconds === 0) return peak
  const cost = extraCost ? ` and cost ${extraCost.amount} ${extraCost.currency}` : ''
  return `${peak} Extra tasks run for ${(extraTaskSeconds / 3_600).toFixed(2)} hours in total${cost}.`
}

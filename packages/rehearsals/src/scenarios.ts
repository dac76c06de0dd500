import type { RehearsalScenarioName } from '@sluice/contract'
import type { RehearsedRelease } from './rehearsed-release.ts'

/** Faults of a release and their times. */
export interface Scenario {
  /** Prepares the simulated cloud before the release begins. */
  prepare?(release: RehearsedRelease): Promise<unknown>
  /** Fault that occurs once during the release. */
  incident?: {
    message: string
    /** Reports whether the fault occurs at this share of the traffic. */
    isDue(newTrafficPercent: number): boolean
    happen(release: RehearsedRelease): Promise<unknown>
    /** Whether all requests to the new version fail after the incident, without failing health checks. */
    breaksRequests?: boolean
    /** Later consequence of the incident. */
    sequel?: { afterMs: number; message: string; happen(release: RehearsedRelease): Promise<unknown> }
  }
  /** Whether users leave pauses until their timeout. */
  leavesPauses?: boolean
}

type Behaviour = Parameters<RehearsedRelease['cloud']['control']['putImage']>[0]['behaviour']

/** Sets the behavior of tasks with an image of the new version, for the next `times` tasks or all. */
async function setBehaviour(release: RehearsedRelease, behaviour: Behaviour, times?: number): Promise<void> {
  for (const pattern of release.newImages) {
    await release.cloud.control.putImage({ pattern, behaviour, ...(times !== undefined && { times }) })
  }
}

/** Time until an alarm on errors fires, in milliseconds: five periods of a minute, and two minutes of evaluation. */
export const alarmAfterMs = 7 * 60_000

/** Scenarios by name. Each runs in its own copy of the service. */
export const scenarios: Record<RehearsalScenarioName, Scenario> = {
  NO_FAULT: {},
  TASKS_CRASH: { prepare: (release) => setBehaviour(release, 'crash') },
  UNHEALTHY_AFTER_FIRST_SHIFT: {
    incident: {
      message: 'The tasks of the new version stop working.',
      isDue: (newTrafficPercent) => newTrafficPercent > 0,
      async happen(release) {
        await setBehaviour(release, 'unhealthy')
        await release.cloud.failRunningTasks(release.newDefinitionArn ?? '')
      },
    },
  },
  ALARM_DURING_BAKE: {
    incident: {
      message: 'Requests to the new version begin to fail. Its health checks still pass.',
      isDue: (newTrafficPercent) => newTrafficPercent >= 100,
      happen: async () => {},
      breaksRequests: true,
      sequel: {
        afterMs: alarmAfterMs,
        message: 'The alarms of the release would go off.',
        happen: ({ cloud, serviceArn, job }) => cloud.raiseAlarms(serviceArn, alarmNamesOf(job.twin.alarms)),
      },
    },
  },
  PAUSE_TIMES_OUT: { leavesPauses: true },
  REGISTRY_UNAVAILABLE: { prepare: (release) => setBehaviour(release, 'pull-error') },
  CAPACITY_UNAVAILABLE: {
    prepare: (release) => setBehaviour(release, 'no-capacity', Math.max(1, Math.ceil(desiredCountOf(release) / 3))),
  },
  CLOUD_THROTTLES: {
    prepare: ({ cloud }) => cloud.control.addFault({ kind: 'throttle', probability: 0.5 }),
  },
  EXTERNAL_CHANGE: {
    incident: {
      message: 'Someone else releases the old version to the service.',
      isDue: (newTrafficPercent) => newTrafficPercent > 0,
      happen: ({ cloud, serviceArn }) => cloud.releaseExternally(serviceArn),
    },
  },
  RESTART_DURING_CHANGE: { prepare: async (release) => release.loseSaves() },
}

const desiredCountOf = ({ job }: RehearsedRelease): number => Number(job.twin.service.desiredCount ?? 0)

const alarmNamesOf = (alarms: readonly Record<string, unknown>[]): string[] =>
  alarms.map(({ AlarmName }) => String(AlarmName))

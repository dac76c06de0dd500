import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../../testing/every-case.ts'
import type { ServiceDeploymentSnapshot } from '../../../../cloud/facts/ecs.ts'
import { explainTimeout } from './failures.ts'

const snapshot = {
  state: { targetServiceRevision: { requestedTaskCount: 2, runningTaskCount: 1, pendingTaskCount: 1 } },
} as ServiceDeploymentSnapshot
const error = { code: 'Sluice:Deployments:TIMED_OUT', message: 'The deployment did not finish.' }

const descriptionWith = (...serviceEvents: string[]) =>
  explainTimeout(error, snapshot, { stoppedTasks: [], targetHealth: [], serviceEvents }).description

const ofEarlierRelease = ['has reached a steady state.', 'Capacity is unavailable at this time.']

test(
  'a timeout gives the remedy for the reason that the events of the service name',
  everyCase(
    [
      [
        'was unable to place a task because no container instance met all of its requirements.',
        'The cluster has no room',
      ],
      ['(closest matching container-instance i-1) has insufficient memory available.', 'The cluster has no room'],
      ['was unable to place a task. Reason: Capacity is unavailable at this time.', 'The zones of these subnets'],
      [
        'was unable to place a task. Reason: The specified subnet does not have enough free addresses.',
        'The subnets have',
      ],
      [
        "was unable to place a task. Reason: You've reached the limit on the number of vCPUs you can run.",
        'A quota of',
      ],
      [
        'was unable to stop or start tasks during a deployment because of the service deployment configuration.',
        'The deployment',
      ],
      ['has started 1 tasks.', "The service's last events"],
      ['has reached a steady state.', "The service's last events"],
    ],
    (event, remedy) => {
      const counts = '1 of 2 tasks of the new version were running, and 1 were starting.'
      const described = descriptionWith('has started 1 tasks.', `(service web) ${event}`, ...ofEarlierRelease)
      expect(described, 'see placementProblems').toContain(`${counts} ${remedy}`)
    },
  ),
)

import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../../testing/every-case.ts'
import type { ServiceDeploymentSnapshot } from '../../../../cloud/facts/ecs.ts'
import { later } from '../../execution/state.ts'
import { freshProgress } from './machine.ts'
import { onObserved } from './observe.ts'
import type { EcsRelease } from './release.ts'
import type { EcsState } from './state.ts'

const pace = { minMs: 1_000, maxMs: 15_000, pausedMaxMs: 300_000, crowdMs: 0 }
const now = new Date('2026-11-20T10:00:00.000Z')

const release: EcsRelease = {
  type: 'cloud:ecs',
  cloudAccountId: 'ca_1',
  region: 'eu-west-1',
  clusterArn: 'arn:aws:ecs:eu-west-1:111122223333:cluster/c',
  serviceArn: 'arn:aws:ecs:eu-west-1:111122223333:service/c/web',
  taskDefinition: { register: { family: 'web' } },
  strategy: { type: 'rolling' },
  timeoutSeconds: 1_800,
  queue: { queueSize: 1, queueOverflow: 'oldest' },
}

const running: EcsState = {
  id: 'dep_1',
  release,
  status: 'IN_PROGRESS',
  startedAt: now,
  completedAt: null,
  error: null,
  externalDeploymentId: 'ecs-svc/1',
  resourceArn: release.serviceArn,
  data: { type: 'cloud:ecs', clusterArn: release.clusterArn, serviceArn: release.serviceArn, events: [] },
  progress: { ...freshProgress, step: 'observe' },
  wakeAt: now,
  deadlineAt: later(now, 1_800_000),
  waitingFor: 'the cloud to execute the release',
}

const snapshotWith = (runningTaskCount: number): ServiceDeploymentSnapshot => ({
  state: {
    serviceDeploymentArn: 'arn:aws:ecs:eu-west-1:111122223333:service-deployment/c/web/1',
    status: 'IN_PROGRESS',
    observedAt: now.toISOString(),
    acceptsNativeStandbyRevert: false,
    targetServiceRevision: {
      serviceRevisionArn: 'arn:r/1',
      requestedTaskCount: 2,
      runningTaskCount,
      pendingTaskCount: 0,
    },
  },
  hooks: [],
})

/** Orders members as PostgreSQL stores them in jsonb: by the length of their names, then alphabetically. */
const asStored = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1)))
      : member,
  )

/** Polls `tasks.length` times, each time with the row as the database returns it. Returns the delay after each poll. */
function waitsAfterLooks(tasks: number[], isTold = false): number[] {
  const waits: number[] = []
  let deployment = running
  for (const count of tasks) {
    const { data, progress, wakeAt, ...rest } = onObserved(
      deployment,
      { snapshot: snapshotWith(count), isTold },
      pace,
      now,
    )
    waits.push((wakeAt?.getTime() ?? 0) - now.getTime())
    deployment = { ...rest, wakeAt, data: asStored(data), progress: asStored(progress) }
  }
  return waits
}

test('a release without changes is polled less and less often, up to the maximum interval', () => {
  expect(waitsAfterLooks([1, 1, 1, 1, 1, 1])).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
})

test('a release with changes is polled often again', () => {
  expect(waitsAfterLooks([1, 1, 1, 2, 2])).toEqual([1_000, 2_000, 4_000, 1_000, 2_000])
})

test('a release whose changes arrive as events is soon polled at the maximum interval', () => {
  expect(waitsAfterLooks([1, 2, 3, 4, 5, 6], true)).toEqual([8_000, 15_000, 15_000, 15_000, 15_000, 15_000])
})

const monitoring = { status: 'MONITORING', triggered: [] }

/** Returns a rolling release with this many tasks of each revision, whose alarms the cloud watches. */
function watchedSnapshot(target: number, source: number, alarms = monitoring): ServiceDeploymentSnapshot {
  const { state, hooks } = snapshotWith(target)
  const before = { requestedTaskCount: 0, runningTaskCount: source, pendingTaskCount: 0 }
  const sourceServiceRevisions = [{ serviceRevisionArn: 'arn:r/0', ...before }]
  return { state: { ...state, sourceServiceRevisions }, hooks, alarms }
}

/** Returns the steps that a rolling release has reached after this observation. */
function stepsWith(given: EcsRelease, snapshot: ServiceDeploymentSnapshot): string[] {
  const { data } = onObserved({ ...running, release: given }, { snapshot, isTold: false }, pace, now)
  return (data.events ?? []).map(({ stepCode }) => stepCode)
}

test('a rolling release without alarms of its own bakes for those of the service', () => {
  const guarded = { ...running, release, progress: { ...running.progress, watchesServiceAlarms: true } }
  const stepsOf = (given: EcsState, snapshot: ServiceDeploymentSnapshot) =>
    (onObserved(given, { snapshot, isTold: false }, pace, now).data.events ?? []).map(({ stepCode }) => stepCode)
  expect(stepsOf(guarded, watchedSnapshot(2, 1)).at(-1)).toBe('SCALE_UP')
  expect(stepsOf(guarded, watchedSnapshot(2, 0)).at(-1)).toBe('BAKE')
  const withoutAlarms = { ...guarded, release: { ...release, alarms: [] } }
  expect(stepsOf(withoutAlarms, watchedSnapshot(2, 0)).at(-1)).toBe('SCALE_UP')
})

/** Returns the same snapshot for a service with a desired count of 0. */
function withoutTasks(snapshot: ServiceDeploymentSnapshot): ServiceDeploymentSnapshot {
  const counts = { requestedTaskCount: 0, runningTaskCount: 0, pendingTaskCount: 0 }
  const targetServiceRevision = { serviceRevisionArn: 'arn:r/1', ...counts }
  return { ...snapshot, state: { ...snapshot.state, targetServiceRevision } }
}

test('a rolling release with alarms bakes once its tasks are replaced: see isBaking in track.ts', () => {
  const watched = { ...release, alarms: ['errors'] }
  expect(stepsWith(watched, watchedSnapshot(2, 1)).at(-1)).toBe('SCALE_UP')
  expect(stepsWith(watched, watchedSnapshot(1, 0)).at(-1)).toBe('SCALE_UP')
  expect(stepsWith(watched, watchedSnapshot(2, 0)).at(-1)).toBe('BAKE')
  expect(stepsWith(watched, withoutTasks(watchedSnapshot(0, 0))).at(-1)).toBe('SCALE_UP')
  expect(stepsWith(watched, watchedSnapshot(2, 0, { ...monitoring, status: 'DISABLED' })).at(-1)).toBe('SCALE_UP')
  expect(stepsWith(release, watchedSnapshot(2, 0)).at(-1)).toBe('SCALE_UP')
})

test(
  'the deployment timeout stops while a rolling release bakes: see latestBakeEnd in observe.ts',
  everyCase<[string, EcsRelease]>(
    [
      ['by alarms of the module', { ...release, alarms: ['errors'] }],
      ['by alarms of the service', release],
    ],
    (_what, given) => {
      const look = (so: EcsState, target: number, seconds: number) =>
        onObserved(so, { snapshot: watchedSnapshot(target, 0) }, pace, later(now, seconds * 1_000))
      const baking = look(look({ ...running, release: given }, 2, 600), 2, 2_400)
      expect(baking.deadlineAt).toEqual(later(now, 1_800_000 + 7 * 86_400_000 + 900_000))
      expect(look(baking, 1, 3_000).deadlineAt).toEqual(later(now, 3_000_000 + 1_200_000))
    },
  ),
)

test('the deployment timeout resumes when the cloud has watched the alarms of a rolling release', () => {
  const withCommand = {
    ...release,
    postDeploy: { container: 'web', overrides: {}, timeoutSeconds: 600, failureAction: 'FAIL' as const },
  }
  const snapshot = watchedSnapshot(2, 0)
  const baking = onObserved({ ...running, release: withCommand }, { snapshot }, pace, now)
  const over = { ...snapshot, state: { ...snapshot.state, status: 'SUCCESSFUL' } }
  const done = onObserved(baking, { snapshot: over }, pace, later(now, 3_000_000))
  expect(done.progress.step).toBe('post-deploy')
  expect(done.deadlineAt).toEqual(later(now, 3_000_000 + 1_800_000))
})

const hook = { hookId: 'ecs-pause-1', lifecycleStage: 'PRE_SCALE_UP', timeoutAction: 'ROLLBACK' }

type Pause = { isTold: boolean; endsInMs?: number; crowdMs?: number }

/** Returns the polling interval of a pause that ends in `endsInMs`. */
function waitOfPause({ isTold, endsInMs = 86_400_000, crowdMs = 0 }: Pause): number {
  const expiresAt = later(now, endsInMs).toISOString()
  const snapshot: ServiceDeploymentSnapshot = {
    ...snapshotWith(1),
    hooks: [{ ...hook, status: 'AWAITING_ACTION', expiresAt }],
  }
  const look = (so: EcsState, told = {}) => onObserved(so, { snapshot, ...told }, { ...pace, crowdMs }, now)
  const last = Array.from({ length: 20 }).reduce<EcsState>((so) => look(so), look(running, { isTold }))
  return (last.wakeAt?.getTime() ?? 0) - now.getTime()
}

test('a pause that an event reported is polled less often than one that a poll found, and again right after its end', () => {
  expect(waitOfPause({ isTold: false })).toBe(300_000)
  expect(waitOfPause({ isTold: true })).toBe(3_600_000)
  expect(waitOfPause({ isTold: true, endsInMs: 60_000 })).toBe(61_000)
})

test('with very many paused releases, each is polled less often, and again right after its end', () => {
  expect(waitOfPause({ isTold: false, crowdMs: 4_000_000 })).toBe(4_000_000)
  expect(waitOfPause({ isTold: true, crowdMs: 4_000_000 })).toBe(4_000_000)
  expect(waitOfPause({ isTold: true, crowdMs: 1_000_000 })).toBe(3_600_000)
  expect(waitOfPause({ isTold: false, crowdMs: 4_000_000, endsInMs: 60_000 })).toBe(61_000)
})

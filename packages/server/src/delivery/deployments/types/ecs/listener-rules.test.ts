import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../../testing/every-case.ts'
import type { ServiceDeploymentSnapshot } from '../../../../cloud/facts/ecs.ts'
import { pace } from '../model-environment.fixture.ts'
import { advanceToStep, releaseOf, World } from './environment.fixture.ts'
import { mustReadRules } from './listener-rules.ts'
import { onObserved } from './observe.ts'
import { pairsToShift } from './service-checks.ts'
import type { EcsState } from './state.ts'

const ruleArn = 'arn:aws:elasticloadbalancing:eu-west-1:111122223333:listener-rule/app/web/1/2/3'
const listenerArn = 'arn:aws:elasticloadbalancing:eu-west-1:111122223333:listener/net/web/1/2'
const pair = {
  targetGroupArn: 'blue',
  alternateTargetGroupArn: 'green',
  productionListenerRuleArn: ruleArn,
  infrastructureRoleArn: 'role',
}
const release = {
  ...releaseOf({ type: 'blue_green', bakeTimeInMinutes: 5, pauseStages: [] }),
  trafficShift: pair,
}

/** Returns an observed release of a service whose users were served by `blue` before. */
function running(more: Partial<EcsState['progress']> = {}): EcsState {
  const world = new World(release)
  advanceToStep(world, 'observe')
  const { row } = world
  return { ...row, progress: { ...row.progress, shiftedPairs: [{ ...pair, servingGroupArn: 'blue' }], ...more } }
}

function snapshotAt(lifecycleStage: string, percent = 100): ServiceDeploymentSnapshot {
  const counts = { requestedTaskCount: 2, runningTaskCount: 2, pendingTaskCount: 0 }
  return {
    state: {
      serviceDeploymentArn: 'arn:sd/1',
      status: 'IN_PROGRESS',
      observedAt: '2026-11-20T10:00:00.000Z',
      acceptsNativeStandbyRevert: false,
      lifecycleStage,
      targetServiceRevision: { serviceRevisionArn: 'arn:sr/1', ...counts, requestedProductionTrafficWeight: percent },
    },
    hooks: [],
  }
}

test(
  'production rules are compared only after a shift, and only for pairs with a known serving group',
  everyCase<[string, string, Partial<EcsState['progress']>, boolean]>(
    [
      ['after the shift', 'POST_PRODUCTION_TRAFFIC_SHIFT', {}, true],
      ['while the release bakes', 'BAKE_TIME', {}, true],
      ['before a shift', 'PRE_PRODUCTION_TRAFFIC_SHIFT', {}, false],
      ['during a shift', 'PRODUCTION_TRAFFIC_SHIFT', {}, false],
      ['while the cloud cleans up', 'CLEAN_UP', {}, false],
      ['after a warning', 'BAKE_TIME', { hasReportedRule: true }, false],
      ['with an unknown serving group', 'BAKE_TIME', { shiftedPairs: [pair] }, false],
    ],
    (_what, stage, more, mustRead) => {
      expect(mustReadRules(running(more), snapshotAt(stage))).toBe(mustRead)
    },
  ),
)

test(
  'a rule that does not route as released is reported once, without a rollback',
  everyCase<[string, number, Record<string, number>, string | undefined]>(
    [
      ['as requested', 100, { green: 100 }, undefined],
      ['rounded', 6, { blue: 94.5, green: 5.5 }, undefined],
      ['reset to the version before', 100, { blue: 100 }, 'forwards 100 % to blue'],
      ['sent elsewhere', 100, { foreign: 100 }, 'forwards 100 % to foreign'],
      ['without targets', 100, {}, 'forwards nothing'],
    ],
    (_what, percent, shares, warning) => {
      const observation = { snapshot: snapshotAt('BAKE_TIME', percent), rules: [{ ruleArn, shares, otherActions: [] }] }
      const now = new Date('2026-11-20T10:00:00.000Z')
      const seen = onObserved(running(), observation, pace, now)
      const warnings = (seen.data.events ?? []).filter(({ stepCode }) => stepCode === 'WARNING')
      expect(seen.status).toBe('IN_PROGRESS')
      expect(warnings.map(({ message }) => message)).toEqual(
        warning === undefined ? [] : [expect.stringContaining(`The production listener rule ${ruleArn} ${warning}`)],
      )
      expect(seen.progress.hasReportedRule).toBe(warning === undefined ? undefined : true)
    },
  ),
)

const listenerPair = { ...pair, productionListenerRuleArn: listenerArn }

test(
  'the serving group is known only for a settled service whose rule forwards to its running tasks',
  everyCase<[string, { isSettled: boolean; shares: Record<string, number>; given?: typeof pair }, string | undefined]>(
    [
      ['settled', { isSettled: true, shares: { blue: 100 } }, 'blue'],
      ['another release is in progress', { isSettled: false, shares: { blue: 100 } }, undefined],
      ['the rule forwards to an empty group', { isSettled: true, shares: { green: 100 } }, undefined],
      ['a network load balancer', { isSettled: true, shares: { blue: 100 }, given: listenerPair }, undefined],
    ],
    (_what, { isSettled, shares, given = pair }, servingGroupArn) => {
      const rules = [{ ruleArn: given.productionListenerRuleArn, shares, otherActions: [] }]
      const traffic = { rules, targetCounts: new Map([['blue', 2]]) }
      const [first] = pairsToShift({ ...release, trafficShift: given }, { isSettled, traffic })
      expect(first?.servingGroupArn).toBe(servingGroupArn)
    },
  ),
)

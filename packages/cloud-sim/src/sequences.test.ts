import {
  ContinueServiceDeploymentCommand,
  type DeploymentConfiguration,
  type ServiceDeployment,
  StopServiceDeploymentCommand,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Status, statusTransitions } from './ecs/rollout.ts'
import {
  awaitingHooks,
  createRestingService,
  describeDeployment,
  describeService,
  isFinal,
  listDeployments,
  registerTaskDefinition,
  ruleWeights,
  startCloud,
  type TestCloud,
} from './testing/cloud.ts'

type Act =
  | { kind: 'deploy'; strategy: number; image: string }
  | { kind: 'continue' | 'rollback' | 'stop' | 'kill' }
  | { kind: 'advance'; seconds: number }

const pauses = [
  {
    targetType: 'PAUSE' as const,
    lifecycleStages: ['POST_SCALE_UP' as const, 'PRE_PRODUCTION_TRAFFIC_SHIFT' as const],
    timeoutConfiguration: { timeoutInMinutes: 10, action: 'CONTINUE' as const },
  },
]
const deploymentCircuitBreaker = { enable: true, rollback: true }
const strategies: DeploymentConfiguration[] = [
  { strategy: 'ROLLING', deploymentCircuitBreaker },
  { strategy: 'BLUE_GREEN', bakeTimeInMinutes: 1, lifecycleHooks: pauses, deploymentCircuitBreaker },
  {
    strategy: 'CANARY',
    canaryConfiguration: { canaryPercent: 60, canaryBakeTimeInMinutes: 1 },
    deploymentCircuitBreaker,
  },
  {
    strategy: 'LINEAR',
    linearConfiguration: { stepPercent: 40, stepBakeTimeInMinutes: 1 },
    lifecycleHooks: pauses,
    deploymentCircuitBreaker,
  },
]

const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('deploy' as const),
      strategy: fc.nat(strategies.length - 1),
      image: fc.constantFrom('web:good', 'web:good', 'web:bad-crash', 'web:bad-missing'),
    }),
  },
  { weight: 4, arbitrary: fc.constantFrom<Act>({ kind: 'continue' }, { kind: 'rollback' }, { kind: 'stop' }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      seconds: fc.constantFrom(1, 3, 10, 30, 60, 200),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: 'kill' }) },
)

/** Returns every status that can follow, directly or later. */
function reachable(from: Status): Set<Status> {
  const found = new Set<Status>([from])
  for (const status of found) for (const after of statusTransitions[status]) found.add(after)
  return found
}

async function perform(cloud: TestCloud, act: Act): Promise<void> {
  if (act.kind === 'advance') return cloud.control.advance(act.seconds)
  if (act.kind === 'kill') return cloud.killAndRestart()
  if (act.kind === 'deploy') {
    const taskDefinition = await registerTaskDefinition(cloud, act.image)
    const input = { cluster: 'main', service: 'web', taskDefinition }
    const deploymentConfiguration = strategies[act.strategy]
    await cloud.ecs.send(
      new UpdateServiceCommand({ ...input, ...(deploymentConfiguration ? { deploymentConfiguration } : {}) }),
    )
    return
  }
  const newest = (await listDeployments(cloud))[0]?.serviceDeploymentArn ?? ''
  const [hook] = awaitingHooks(await describeDeployment(cloud, newest))
  const serviceDeploymentArn = newest
  const action = act.kind === 'rollback' ? ('ROLLBACK' as const) : ('CONTINUE' as const)
  const isRefused = (error: Error) => {
    if (!['ConflictException', 'InvalidParameterException'].includes(error.name)) throw error
  }
  if (act.kind === 'stop')
    await cloud.ecs.send(new StopServiceDeploymentCommand({ serviceDeploymentArn })).catch(isRefused)
  else if (hook) {
    const input = { serviceDeploymentArn, hookId: hook.hookId, action }
    await cloud.ecs.send(new ContinueServiceDeploymentCommand(input)).catch(isRefused)
  }
}

async function look(cloud: TestCloud): Promise<ServiceDeployment[]> {
  const briefs = await listDeployments(cloud)
  return Promise.all(briefs.map(({ serviceDeploymentArn = '' }) => describeDeployment(cloud, serviceDeploymentArn)))
}

function check(before: Map<string, ServiceDeployment>, deployment: ServiceDeployment): void {
  const seen = before.get(deployment.serviceDeploymentArn ?? '')
  if (seen && isFinal(seen)) expect(deployment).toEqual(seen)
  if (seen) expect(reachable(seen.status as Status)).toContain(deployment.status)
  if (isFinal(deployment)) expect(awaitingHooks(deployment)).toEqual([])
  if (deployment.deploymentConfiguration?.strategy === 'ROLLING') return
  const { targetServiceRevision: target, sourceServiceRevisions: sources = [] } = deployment
  for (const weight of ['requestedProductionTrafficWeight', 'requestedTestTrafficWeight'] as const) {
    const sum = sources.reduce((total, source) => total + (source[weight] ?? 0), target?.[weight] ?? 0)
    expect(sum).toBeCloseTo(100, 5)
  }
}

test('any sequence of requests preserves the invariants of service deployments, and the service becomes stable', async () => {
  await using cloud = await startCloud()
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 25 }), async (story) => {
      await cloud.control.reset()
      const { loadBalancer } = await createRestingService(cloud)
      const before = new Map<string, ServiceDeployment>()
      const observe = async () => {
        for (const deployment of await look(cloud)) {
          check(before, deployment)
          before.set(deployment.serviceDeploymentArn ?? '', deployment)
        }
        const { productionListenerRule, testListenerRule } = loadBalancer?.advancedConfiguration ?? {}
        for (const rule of [productionListenerRule, testListenerRule]) {
          const weights = Object.values(await ruleWeights(cloud, rule))
          expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(100)
        }
      }
      for (const act of story) {
        await perform(cloud, act)
        await observe()
      }
      await cloud.control.advance(3 * 3600) // every pause times out, every bake time ends
      await observe()
      expect([...before.values()].filter((deployment) => !isFinal(deployment))).toEqual([])
      const service = await describeService(cloud)
      expect([service.runningCount, service.pendingCount]).toEqual([2, 0])
      expect(service.deployments?.find(({ status }) => status === 'PRIMARY')).toMatchObject({
        rolloutState: 'COMPLETED',
        taskDefinition: service.taskDefinition,
        runningCount: 2,
      })
    }),
    // A sequence takes 1 to 4 s. A failing one is reported without shrinking, which would take minutes.
    { numRuns: 20, endOnFailure: true, timeout: 60_000 },
  )
}, 300_000)

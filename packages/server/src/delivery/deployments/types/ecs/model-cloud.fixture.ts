import type { HookSnapshot, ServiceDeploymentSnapshot } from '../../../../cloud/facts/ecs.ts'
import type { EcsRelease } from './release.ts'
import { shiftCount } from './track.ts'

type ModelHook = HookSnapshot & { expiresAtMs: number }

/** In-memory model of a service deployment with its stages, pauses and rollbacks. Has no clock of its own. */
export class ModelCloud {
  readonly taskDefinitions: string[] = []
  primary = { id: 'ecs-svc/1', taskDefinitionArn: 'arn:td/web:1' }
  updates = 0
  continues = new Map<string, number>()
  deployment: { status: string; place: number; hooks: ModelHook[] } | undefined
  /** Tasks of commands, by the name in the request; an ended task has an exit code. */
  readonly commands = new Map<string, { arn: string; exitCode?: number; isStopping: boolean; hasEnded: boolean }>()
  /** Outcome of checks. */
  check: 'SUCCESSFUL' | 'FAILED' | 'INCONCLUSIVE' = 'SUCCESSFUL'
  exitCode = 0
  /** Whether tasks hang, so that nothing progresses. */
  hangs = false
  readonly #release: EcsRelease
  readonly #track: { stage: string; weight: number; pausesAt: boolean }[]

  constructor(release: EcsRelease) {
    this.#release = release
    this.#track = trackOf(release)
  }

  register(deploymentId: string): string {
    this.taskDefinitions.push(deploymentId)
    return `arn:td/web:${this.taskDefinitions.length + 1}`
  }

  /** Starts a task. A second request with the same name starts nothing. */
  run(name: string): string {
    const known = this.commands.get(name) ?? { arn: `arn:task/${name}`, isStopping: false, hasEnded: false }
    this.commands.set(name, known)
    return known.arn
  }

  commandOf(taskArn: string) {
    return [...this.commands.values()].find(({ arn }) => arn === taskArn)
  }

  update(taskDefinitionArn: string): string {
    this.updates += 1
    this.primary = { id: `ecs-svc/${this.updates + 1}`, taskDefinitionArn }
    this.deployment = { status: 'IN_PROGRESS', place: -1, hooks: [] }
    return this.primary.id
  }

  /** Advances the cloud by one stage, unless a decision is pending. */
  step(nowMs: number): void {
    for (const command of this.commands.values()) {
      if (command.hasEnded || (this.hangs && !command.isStopping)) continue
      command.hasEnded = true
      command.exitCode = command.isStopping ? 143 : this.exitCode
    }
    const { deployment } = this
    if (!deployment || this.hangs) return
    if (deployment.status === 'ROLLBACK_REQUESTED') deployment.status = 'ROLLBACK_IN_PROGRESS'
    else if (deployment.status === 'ROLLBACK_IN_PROGRESS') deployment.status = 'ROLLBACK_SUCCESSFUL'
    else if (deployment.status === 'IN_PROGRESS' && !this.awaiting()) this.#enter(deployment.place + 1, nowMs)
  }

  #enter(place: number, nowMs: number): void {
    const { deployment } = this
    if (!deployment) return
    const stage = this.#track[place]
    if (!stage) {
      deployment.status = 'SUCCESSFUL'
      return
    }
    deployment.place = place
    if (!stage.pausesAt || this.#release.strategy.type === 'rolling') return
    const pause = this.#release.strategy.pauseStages.find((one) => one.stage === stage.stage)
    if (!pause) return
    const expiresAtMs = nowMs + pause.timeoutInMinutes * 60_000
    deployment.hooks.push({
      hookId: `hook-${deployment.hooks.length + 1}`,
      lifecycleStage: stage.stage,
      status: 'AWAITING_ACTION',
      timeoutAction: pause.timeoutAction,
      expiresAt: new Date(expiresAtMs).toISOString(),
      expiresAtMs,
    })
  }

  awaiting(): ModelHook | undefined {
    return this.deployment?.hooks.find((hook) => hook.status === 'AWAITING_ACTION')
  }

  continue(hookId: string): boolean {
    const hook = this.awaiting()
    if (hook?.hookId !== hookId || this.deployment?.status !== 'IN_PROGRESS') return false
    hook.status = 'SUCCEEDED'
    this.continues.set(hookId, (this.continues.get(hookId) ?? 0) + 1)
    return true
  }

  expire(nowMs: number): void {
    const hook = this.awaiting()
    if (!hook || hook.expiresAtMs > nowMs || this.deployment?.status !== 'IN_PROGRESS') return
    hook.status = 'TIMED_OUT'
    if (hook.timeoutAction === 'ROLLBACK') this.deployment.status = 'ROLLBACK_IN_PROGRESS'
  }

  /** Stops the deployment. Returns false if there is nothing to stop. */
  stop(): boolean {
    if (this.deployment?.status !== 'IN_PROGRESS') return this.deployment?.status.startsWith('ROLLBACK') ?? false
    this.deployment.status = 'ROLLBACK_REQUESTED'
    return true
  }

  fail(how: 'breaker' | 'stopped'): void {
    if (this.deployment?.status !== 'IN_PROGRESS') return
    this.deployment.status = how === 'breaker' ? 'ROLLBACK_IN_PROGRESS' : 'STOPPED'
  }

  snapshot(nowMs: number): ServiceDeploymentSnapshot {
    const { deployment } = this
    if (!deployment) throw new Error('there is no service deployment to look at')
    const stage = this.#track[deployment.place]
    const shifts = this.#release.strategy.type !== 'rolling'
    return {
      state: {
        serviceDeploymentArn: 'arn:sd/1',
        status: deployment.status,
        observedAt: new Date(nowMs).toISOString(),
        acceptsNativeStandbyRevert: false,
        ...(shifts && stage ? { lifecycleStage: stage.stage } : {}),
        targetServiceRevision: {
          serviceRevisionArn: 'arn:sr/1',
          requestedTaskCount: 2,
          runningTaskCount: 2,
          pendingTaskCount: 0,
          ...(shifts ? { requestedProductionTrafficWeight: stage?.weight ?? 0 } : {}),
        },
      },
      // As the cloud does, without the stage of a pause that has ended.
      hooks: deployment.hooks.map(({ expiresAtMs: _, lifecycleStage, ...hook }) =>
        hook.status === 'AWAITING_ACTION' && lifecycleStage ? { ...hook, lifecycleStage } : hook,
      ),
    }
  }
}

function trackOf(release: EcsRelease): { stage: string; weight: number; pausesAt: boolean }[] {
  if (release.strategy.type === 'rolling') return [{ stage: 'ROLLING', weight: 0, pausesAt: false }]
  const at = (stage: string, weight: number, pausesAt: boolean) => ({ stage, weight, pausesAt })
  const count = shiftCount(release)
  const share = (shift: number) => (shift === count ? 100 : Math.floor((100 / count) * shift))
  const shifts = Array.from({ length: count }, (_, index) => [
    at('PRE_PRODUCTION_TRAFFIC_SHIFT', share(index), true),
    at('PRODUCTION_TRAFFIC_SHIFT', share(index + 1), false),
  ]).flat()
  return [
    at('PRE_SCALE_UP', 0, true),
    at('SCALE_UP', 0, false),
    at('POST_SCALE_UP', 0, true),
    at('TEST_TRAFFIC_SHIFT', 0, false),
    at('POST_TEST_TRAFFIC_SHIFT', 0, true),
    ...shifts,
    at('POST_PRODUCTION_TRAFFIC_SHIFT', 100, true),
    at('BAKE_TIME', 100, false),
    at('CLEAN_UP', 100, false),
  ]
}

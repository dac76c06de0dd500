import type { PauseStage, ReleaseBase } from '../release.ts'

export type EcsStrategy =
  | { type: 'rolling' }
  | {
      type: 'blue_green' | 'linear' | 'canary'
      bakeTimeInMinutes: number
      linear?: { stepPercent: number; stepBakeTimeInMinutes: number }
      canary?: { canaryPercent: number; canaryBakeTimeInMinutes: number }
      pauseStages: PauseStage[]
    }

/** The pieces of the load balancer between which the cloud shifts traffic. */
export type TrafficShift = {
  targetGroupArn: string
  alternateTargetGroupArn: string
  productionListenerRuleArn: string
  testListenerRuleArn?: string
  infrastructureRoleArn: string
}

/** A one-off task of the new revision that runs a command before or after the release. */
export type Command = {
  /** The container whose exit code decides. */
  container: string
  /** What is other than in the task definition, as the cloud asks for it. */
  overrides: Record<string, unknown>
  /** As the cloud asks for them; absent: those of the service. */
  networkConfiguration?: Record<string, unknown>
  capacityProviderStrategy?: Record<string, unknown>[]
  enableExecuteCommand?: boolean
  /** Seconds after which it is stopped and counts as failed. */
  timeoutSeconds: number
}

/** What a failed command after the release does: turn the release back, or leave the new version live. */
export const failureActions = ['ROLLBACK', 'FAIL'] as const
export type FailureAction = (typeof failureActions)[number]

/** A container-service release as it was resolved when the deployment was accepted. */
export type EcsRelease = ReleaseBase & {
  type: 'cloud:ecs'
  clusterArn: string
  serviceArn: string
  /** The request that registers the task definition; or, on a redeployment, the very one that ran before. */
  taskDefinition: { register: Record<string, unknown> } | { reuse: { arn: string } }
  trafficShift?: TrafficShift
  strategy: EcsStrategy
  preDeploy?: Command
  postDeploy?: Command & { failureAction: FailureAction }
  /** Names of the cloud's alarms that turn the release back; absent: those that the service has. */
  alarms?: string[]
  /** It returns to an earlier release: nothing is to be done where the service runs that one already. */
  isRollback?: boolean
}

import type { QueuePolicy } from './machine.ts'

/** One stage at which a release waits for a person. */
export type PauseStage = {
  /** A lifecycle stage of the cloud at which it can pause, e.g. `PRE_PRODUCTION_TRAFFIC_SHIFT`. */
  stage: string
  timeoutInMinutes: number
  /** What the cloud does when nobody decides in time. */
  timeoutAction: 'ROLLBACK' | 'CONTINUE'
}

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

/** A container-service release as it was resolved when the deployment was accepted. */
export type EcsRelease = {
  type: 'cloud:ecs'
  cloudAccountId: string
  region: string
  clusterArn: string
  serviceArn: string
  /** The request that registers the task definition; or, on a redeployment, the very one that ran before. */
  taskDefinition: { register: Record<string, unknown> } | { reuse: { arn: string } }
  trafficShift?: TrafficShift
  strategy: EcsStrategy
  /** Seconds of work before the deployment is given up; bake times and pauses come on top. */
  timeoutSeconds: number
  /** How its module lets deployments wait. */
  queue: QueuePolicy
}

export type Release = EcsRelease

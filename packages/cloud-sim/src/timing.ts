import type { Pace } from './ecs/rollout.ts'

/** How long things take, in cloud seconds. `PUT /_sim/timing` changes any of them. */
export interface Timing extends Pace {
  /** A service deployment is listed this much later than the call that started it was answered. */
  listLagSeconds: number
  /** A task from its creation to PENDING. */
  provisionSeconds: number
  /** A task from PENDING to RUNNING. */
  pullSeconds: number
  /** A running task until its load balancer target is healthy. */
  healthySeconds: number
  /** A running task until its failing health checks count. */
  unhealthySeconds: number
  /** A running task until it exits, where its image crashes. */
  crashSeconds: number
  /** A task from its stop to STOPPED: target drained, process ended. */
  stopSeconds: number
}

export const defaultTiming: Timing = {
  requestSeconds: 1,
  stageSeconds: 2,
  trafficShiftSeconds: 10,
  listLagSeconds: 1,
  provisionSeconds: 5,
  pullSeconds: 15,
  healthySeconds: 10,
  unhealthySeconds: 30,
  crashSeconds: 3,
  stopSeconds: 10,
}

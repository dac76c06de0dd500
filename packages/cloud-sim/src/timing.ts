/** Durations in cloud seconds. `PUT /_sim/timing` changes any of them. */
export interface Timing {
  /**
   * Time from a request that changes a service deployment to its effect: pending, stop requested, rollback requested.
   */
  requestSeconds: number
  /** Duration of a service deployment's stage in which nothing changes. */
  stageSeconds: number
  /** Time until changed listener rule weights take effect. */
  trafficShiftSeconds: number
  /** Time until a new service deployment is listed. */
  listLagSeconds: number
  /** Time from a task's creation to PENDING. */
  provisionSeconds: number
  /** Time from PENDING to RUNNING; the task is ACTIVATING after a fifth of it. */
  pullSeconds: number
  /** Time until a running task's load balancer target is healthy. */
  healthySeconds: number
  /** Time until a running task's failing health checks count. */
  unhealthySeconds: number
  /** Time until a running task exits if its image crashes. */
  crashSeconds: number
  /** Duration of a one-off task with a command. */
  jobSeconds: number
  /** Time from a task's stop to STOPPED: DEACTIVATING (two fifths), STOPPING (two) and DEPROVISIONING (one). */
  stopSeconds: number
  /** Time for which a stopped task can be described. */
  stoppedTaskKeptSeconds: number
  /** Time until an update of a function's code or settings takes effect. */
  functionUpdateSeconds: number
  /** Time until a published function version is active. */
  functionPublishSeconds: number
  /** Time until an updated alias with provisioned concurrency routes calls to the new version. */
  provisionedConcurrencySeconds: number
  /** Time until a distribution's change is deployed. */
  distributionSeconds: number
  /** Time until an invalidation completes. */
  invalidationSeconds: number
  /** Time until a new key value store is ready. */
  storeSeconds: number
  /** Time from an instance's launch to InService. */
  launchSeconds: number
  /** Time until an instance's agent accepts commands. */
  agentSeconds: number
  /** Time until a terminating instance is gone. */
  terminateSeconds: number
  /** Duration of a successful command on one instance. */
  commandSeconds: number
  /** Time until a cancelled command ends on one instance. */
  cancelSeconds: number
  /** Time until a requested certificate's validation records are available. */
  certificateRecordSeconds: number
  /** Time from a certificate's request until the first check for those records. */
  certificateIssueSeconds: number
  /** Time from a certificate's request until validation times out. */
  certificateTimeoutSeconds: number
  /** Validity of a certificate, in calendar days. */
  certificateValidityDays: number
  /** Calendar days before expiry at which a certificate in use is renewed. */
  certificateRenewalDays: number
  /** Time until a record change has propagated to all name servers. */
  recordSyncSeconds: number
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
  jobSeconds: 5,
  stopSeconds: 10,
  stoppedTaskKeptSeconds: 3_600,
  functionUpdateSeconds: 5,
  functionPublishSeconds: 3,
  provisionedConcurrencySeconds: 20,
  distributionSeconds: 60,
  invalidationSeconds: 20,
  storeSeconds: 5,
  launchSeconds: 30,
  agentSeconds: 15,
  terminateSeconds: 20,
  commandSeconds: 20,
  cancelSeconds: 2,
  certificateRecordSeconds: 5,
  certificateIssueSeconds: 15,
  certificateTimeoutSeconds: 72 * 3600,
  certificateValidityDays: 198,
  certificateRenewalDays: 45,
  recordSyncSeconds: 30,
}

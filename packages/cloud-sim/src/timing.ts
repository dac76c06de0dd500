/** How long things take, in cloud seconds. `PUT /_sim/timing` changes any of them. */
export interface Timing {
  /** From a request for a change of a service deployment to its effect: pending, stop requested, rollback requested. */
  requestSeconds: number
  /** A stage of a service deployment in which nothing moves. */
  stageSeconds: number
  /** Until the changed weights of a listener rule are in force. */
  trafficShiftSeconds: number
  /** A service deployment is listed this much later than the call that started it was answered. */
  listLagSeconds: number
  /** A task from its creation to PENDING. */
  provisionSeconds: number
  /** A task from PENDING to RUNNING: it is ACTIVATING after a fifth of that time. */
  pullSeconds: number
  /** A running task until its load balancer target is healthy. */
  healthySeconds: number
  /** A running task until its failing health checks count. */
  unhealthySeconds: number
  /** A running task until it exits, where its image crashes. */
  crashSeconds: number
  /** A one-off task that runs a command, from its start to its end. */
  jobSeconds: number
  /** A task from its stop to STOPPED, by way of DEACTIVATING (two fifths), STOPPING (two) and DEPROVISIONING (one). */
  stopSeconds: number
  /** A stopped task, until it can no longer be described. */
  stoppedTaskKeptSeconds: number
  /** A function from an update of its code or settings until that has taken effect. */
  functionUpdateSeconds: number
  /** A function's version from its publication until it is active. */
  functionPublishSeconds: number
  /** An alias with provisioned concurrency from its move until its calls go to the new version. */
  provisionedConcurrencySeconds: number
  /** A change of a distribution until it is deployed everywhere. */
  distributionSeconds: number
  /** An invalidation until it is complete. */
  invalidationSeconds: number
  /** A new key value store until it can be used. */
  storeSeconds: number
  /** An instance of a group from its launch to its service. */
  launchSeconds: number
  /** An instance in service until its agent takes commands. */
  agentSeconds: number
  /** An instance from the order to end until it is gone. */
  terminateSeconds: number
  /** A command that succeeds, on one instance. */
  commandSeconds: number
  /** A running command from its cancellation to its end, on one instance. */
  cancelSeconds: number
  /** A certificate from its request until the records are told that prove its names. */
  certificateRecordSeconds: number
  /** The same, until it is first looked whether those records stand. */
  certificateIssueSeconds: number
  /** The same, until it is given up. */
  certificateTimeoutSeconds: number
  /** For how long a certificate is good: days of the calendar, not of cloud time. */
  certificateValidityDays: number
  /** So many such days before its end one that is in use is renewed. */
  certificateRenewalDays: number
  /** A change of records until all name servers answer with it. */
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

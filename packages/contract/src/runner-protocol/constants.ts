/** What runners and the API know of each other. No schema is here: a runner, which starts often, has none. */

/** Raised when a runner of the version before cannot work with the API any more, or the other way round. */
export const protocolVersion = 1

/**
 * Below these paths runners call: `redeem` with the token that a task was started with, the next four with a runner's
 * token, the rest with the token of the attempt.
 */
export const runnerPaths = {
  redeem: '/runner/redeem',
  hello: '/runner/hello',
  claim: '/runner/claim',
  heartbeat: '/runner/heartbeat',
  leave: '/runner/leave',
  log: '/runner/attempt/log',
  progress: '/runner/attempt/progress',
  sourceAccess: '/runner/attempt/source-access',
  cloudSession: '/runner/attempt/cloud-session',
  plan: '/runner/attempt/plan',
  takePlan: '/runner/attempt/take-plan',
  applied: '/runner/attempt/applied',
  findArtifact: '/runner/attempt/find-artifact',
  publishArtifact: '/runner/attempt/publish-artifact',
  publishImage: '/runner/attempt/publish-image',
  settle: '/runner/attempt/settle',
} as const

export type RunnerPath = (typeof runnerPaths)[keyof typeof runnerPaths]

/** How many files an artifact may have. */
export const mostArtifactFiles = 10_000

/**
 * The most that a plan may take, in JSON and with its file in base64, where the operator does not say: one of some
 * thousands of resources has some tens of megabytes. It is read as a whole, here and there. Bytes.
 */
export const mostPlanBytes = 128 * 1024 * 1024

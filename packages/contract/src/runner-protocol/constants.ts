/** Constants shared by runners and the API. This file has no schemas, so that runners, which start often, load none. */

/** Increased when runners of the previous version become incompatible with the API, or vice versa. */
export const protocolVersion = 1

/**
 * Paths that runners call: `redeem` with the token of a task, the next four with the token of the runner, the rest with
 * the token of the attempt.
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
  sensitiveVariables: '/runner/attempt/sensitive-variables',
  plan: '/runner/attempt/plan',
  takePlan: '/runner/attempt/take-plan',
  applied: '/runner/attempt/applied',
  findArtifact: '/runner/attempt/find-artifact',
  publishArtifact: '/runner/attempt/publish-artifact',
  publishImage: '/runner/attempt/publish-image',
  uploadStepArtifact: '/runner/attempt/upload-step-artifact',
  downloadStepArtifact: '/runner/attempt/download-step-artifact',
  settle: '/runner/attempt/settle',
} as const

export type RunnerPath = (typeof runnerPaths)[keyof typeof runnerPaths]

/** Maximum number of files in an artifact. */
export const maxArtifactFiles = 10_000

/**
 * Default maximum size of a plan in bytes, as JSON with its file in base64. A plan of some thousands of resources has
 * some tens of megabytes, and both sides read it as a whole.
 */
export const defaultMaxPlanBytes = 128 * 1024 * 1024

/** Maximum number of files that a step passes to later steps under one name, and their total size in bytes. */
export const maxStepArtifactFiles = 1_000
export const maxStepArtifactBytes = 32 * 1024 * 1024

/** Size in bytes of the pieces in which such files are sent, and the maximum number of pieces. */
export const stepArtifactPieceBytes = 512 * 1024
export const maxStepArtifactPieces = 80

/** Maximum number of variables that a runner reports as sensitive, and maximum length of a name in characters. */
export const maxSensitiveVariables = 1_000
export const maxVariableName = 256

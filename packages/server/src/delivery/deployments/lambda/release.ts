import type { PauseStage, ReleaseBase } from '../release.ts'

/** How calls of the alias move to the new version. */
export type LambdaStrategy = {
  type: 'all_at_once' | 'linear' | 'canary'
  /** How long it is watched after all calls moved, before the release is over. */
  bakeTimeInMinutes: number
  linear?: { stepPercent: number; stepBakeTimeInMinutes: number }
  canary?: { canaryPercent: number; canaryBakeTimeInMinutes: number }
  pauseStages: PauseStage[]
}

/** Where the code of a function is. */
export type CodeSource = { s3Bucket: string; s3Key: string } | { imageUri: string }

/** For people. */
export const addressOf = (code: CodeSource): string =>
  'imageUri' in code ? code.imageUri : `s3://${code.s3Bucket}/${code.s3Key}`

/** A function release as it was resolved when the deployment was accepted. */
export type LambdaRelease = ReleaseBase & {
  type: 'cloud:lambda'
  /** Without a version or an alias. */
  functionArn: string
  aliasName: string
  code: CodeSource
  /** On a redeployment: what ran before. Only where it is gone is it published anew, of the same code. */
  version?: { version: string; codeSha256: string }
  strategy: LambdaStrategy
}

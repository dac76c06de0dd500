import type { CodeSource, FunctionPlace } from '../../../../cloud/facts/lambda.ts'
import type { PauseStage } from '../../../../cloud/facts/pause-stage.ts'
import type { ReleaseBase } from '../release.ts'
import type { SiteRelease } from '../static/retention.ts'

/** How traffic of the alias moves to the new version. */
export type LambdaStrategy = {
  type: 'all_at_once' | 'linear' | 'canary'
  /** Bake time after all traffic moved, before the release ends. */
  bakeTimeInMinutes: number
  linear?: { stepPercent: number; stepBakeTimeInMinutes: number }
  canary?: { canaryPercent: number; canaryBakeTimeInMinutes: number }
  pauseStages: PauseStage[]
}

/** Function release, as resolved when the deployment was accepted. */
export type LambdaRelease = ReleaseBase &
  FunctionPlace & {
    type: 'cloud:lambda'
    /** Absent if only the cloud knows the code: for the version that ran when a function was imported. */
    code?: CodeSource
    /** For a promotion: hash of the code that ran in the source environment. Other code is rejected. */
    codeSha256?: string
    /** For a redeployment: the version to use. Only if it was deleted, the same code is published again. */
    version?: { version: string; codeSha256: string }
    strategy: LambdaStrategy
    /** Number of latest successful releases whose versions are retained; all if absent. */
    keepReleases?: number
  }

/** Returns the code of a release that publishes code. A release without code only uses the version that it names. */
export function codeToPublish({ code }: LambdaRelease): CodeSource {
  if (code === undefined) throw new Error('a release without code has nothing to publish')
  return code
}

/**
 * Version of a function that a deployment uses, stored as `prefix`: versions and directories have the same retention
 * rules.
 */
export type FunctionRelease = SiteRelease

import type { CodeSource, FunctionPlace } from '../../../../cloud/facts/lambda.ts'
import type { PauseStage } from '../../../../cloud/facts/pause-stage.ts'
import type { ReleaseBase } from '../release.ts'
import type { SiteRelease } from '../static/retention.ts'

/** How calls of the alias move to the new version. */
export type LambdaStrategy = {
  type: 'all_at_once' | 'linear' | 'canary'
  /** How long it is watched after all calls moved, before the release is over. */
  bakeTimeInMinutes: number
  linear?: { stepPercent: number; stepBakeTimeInMinutes: number }
  canary?: { canaryPercent: number; canaryBakeTimeInMinutes: number }
  pauseStages: PauseStage[]
}

/** A function release as it was resolved when the deployment was accepted. */
export type LambdaRelease = ReleaseBase &
  FunctionPlace & {
    type: 'cloud:lambda'
    /** Absent where only the cloud knows it: of a version that ran when its function was imported. */
    code?: CodeSource
    /** On a promotion: the hash of the code that ran where it comes from. No other is released. */
    codeSha256?: string
    /** On a redeployment: what ran before. Only where it is gone is it published anew, of the same code. */
    version?: { version: string; codeSha256: string }
    strategy: LambdaStrategy
    /** How many of the latest successful releases keep their version; absent: all. */
    keepReleases?: number
  }

/** The code of a release that knows it: one that does not only ever runs the version that it names. */
export function knownCodeOf({ code }: LambdaRelease): CodeSource {
  if (code === undefined) throw new Error('a release without code has nothing to publish')
  return code
}

/** What a deployment has to do with a version, as `prefix`: versions are retained by the rules of directories. */
export type FunctionRelease = SiteRelease

import type { AnalysisSpec } from '../analysis/spec.ts'
import type { QueuePolicy } from '../execution/machine.ts'
import type { Ec2Release } from './ec2/release.ts'
import type { EcsRelease } from './ecs/release.ts'
import type { LambdaRelease } from './lambda/release.ts'
import type { StaticRelease } from './static/release.ts'

/** Properties that all releases have, regardless of their type. */
export type ReleaseBase = {
  cloudAccountId: string
  region: string
  /** Seconds until the deployment times out; bake times and pauses are added. */
  timeoutSeconds: number
  queue: QueuePolicy
  /** Checks at pauses and during bakes. */
  analysis?: AnalysisSpec
}

/** Resolved release of a deployment, discriminated by `type`. */
export type Release = EcsRelease | Ec2Release | LambdaRelease | StaticRelease

/** Release as its block defines it, without the account and the queue policy. */
export type ReleaseWithoutAccount<R extends Release = Release> = R extends Release
  ? Omit<R, 'cloudAccountId' | 'queue'>
  : never

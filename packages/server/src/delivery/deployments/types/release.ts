import type { AnalysisSpec } from '../analysis/spec.ts'
import type { QueuePolicy } from '../execution/machine.ts'
import type { Ec2Release } from './ec2/release.ts'
import type { EcsRelease } from './ecs/release.ts'
import type { LambdaRelease } from './lambda/release.ts'
import type { StaticRelease } from './static/release.ts'

/** What every release says, whatever it is released to. */
export type ReleaseBase = {
  cloudAccountId: string
  region: string
  /** Seconds of work before the deployment is given up; bake times and pauses come on top. */
  timeoutSeconds: number
  /** How its module lets deployments wait. */
  queue: QueuePolicy
  /** What is checked at pauses and during bakes. */
  analysis?: AnalysisSpec
}

/** What is released, resolved when the deployment was accepted; tell them apart by `type`. */
export type Release = EcsRelease | Ec2Release | LambdaRelease | StaticRelease

/** A release as its block tells it: not yet with the account that it goes to, and how its module lets it wait. */
export type UnplacedRelease<R extends Release = Release> = R extends Release
  ? Omit<R, 'cloudAccountId' | 'queue'>
  : never

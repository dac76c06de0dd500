import type { LambdaDeploymentData } from '@sluice/contract'
import type { StandingOf } from '../standing.ts'
import type { LambdaProgress } from './progress.ts'
import type { LambdaRelease } from './release.ts'

export type LambdaStanding = StandingOf<LambdaRelease, LambdaDeploymentData, LambdaProgress>

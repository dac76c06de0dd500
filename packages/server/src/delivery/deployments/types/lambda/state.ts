import type { LambdaDeploymentData } from '@sluice/contract'
import type { KeptData, StandingOf } from '../../execution/state.ts'
import type { LambdaProgress } from './progress.ts'
import type { LambdaRelease } from './release.ts'

export type LambdaStanding = StandingOf<LambdaRelease, KeptData<LambdaDeploymentData>, LambdaProgress>

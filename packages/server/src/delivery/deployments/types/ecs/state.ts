import type { EcsDeploymentData } from '@sluice/contract'
import type { KeptData, StandingOf } from '../../execution/state.ts'
import type { EcsProgress } from './progress.ts'
import type { EcsRelease } from './release.ts'

export type EcsStanding = StandingOf<EcsRelease, KeptData<EcsDeploymentData>, EcsProgress>

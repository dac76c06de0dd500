import type { EcsDeploymentData } from '@sluice/contract'
import type { StandingOf } from '../standing.ts'
import type { EcsProgress } from './progress.ts'
import type { EcsRelease } from './release.ts'

export type EcsStanding = StandingOf<EcsRelease, EcsDeploymentData, EcsProgress>

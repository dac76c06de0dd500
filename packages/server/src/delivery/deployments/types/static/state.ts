import type { StaticDeploymentData } from '@sluice/contract'
import type { StandingOf } from '../../execution/state.ts'
import type { StaticProgress } from './progress.ts'
import type { StaticRelease } from './release.ts'

export type StaticStanding = StandingOf<StaticRelease, StaticDeploymentData, StaticProgress>

import type { StaticDeploymentData } from '@sluice/contract'
import type { DeploymentStateOf } from '../../execution/state.ts'
import type { StaticProgress } from './progress.ts'
import type { StaticRelease } from './release.ts'

export type StaticState = DeploymentStateOf<StaticRelease, StaticDeploymentData, StaticProgress>

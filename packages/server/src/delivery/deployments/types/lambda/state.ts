import type { LambdaDeploymentData } from '@sluice/contract'
import type { DeploymentStateOf, StoredData } from '../../execution/state.ts'
import type { LambdaProgress } from './progress.ts'
import type { LambdaRelease } from './release.ts'

export type LambdaState = DeploymentStateOf<LambdaRelease, StoredData<LambdaDeploymentData>, LambdaProgress>

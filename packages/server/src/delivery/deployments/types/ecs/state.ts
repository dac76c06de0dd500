import type { EcsDeploymentData } from '@sluice/contract'
import type { DeploymentStateOf, StoredData } from '../../execution/state.ts'
import type { EcsProgress } from './progress.ts'
import type { EcsRelease } from './release.ts'

export type EcsState = DeploymentStateOf<EcsRelease, StoredData<EcsDeploymentData>, EcsProgress>

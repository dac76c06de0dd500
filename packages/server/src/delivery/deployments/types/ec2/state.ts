import type { Ec2DeploymentData } from '@sluice/contract'
import type { DeploymentStateOf } from '../../execution/state.ts'
import type { Ec2Progress } from './progress.ts'
import type { Ec2Release } from './release.ts'

export type Ec2State = DeploymentStateOf<Ec2Release, Ec2DeploymentData, Ec2Progress>

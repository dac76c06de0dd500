import type { Ec2DeploymentData } from '@sluice/contract'
import type { StandingOf } from '../../execution/state.ts'
import type { Ec2Progress } from './progress.ts'
import type { Ec2Release } from './release.ts'

export type Ec2Standing = StandingOf<Ec2Release, Ec2DeploymentData, Ec2Progress>

import type { ComposedScenario, DeploymentData, RehearsalScenario, RehearsalScenarioName } from '@sluice/contract'
import type { Ec2Twin, EcsTwin, LambdaTwin, StaticTwin } from '../../cloud/facts/twin.ts'
import type { PollPace } from '../deployments/execution/state.ts'
import type { Ec2Release } from '../deployments/types/ec2/release.ts'
import type { EcsRelease } from '../deployments/types/ecs/release.ts'
import type { StartChecks } from '../deployments/types/ecs/service-checks.ts'
import type { LambdaRelease } from '../deployments/types/lambda/release.ts'
import type { StaticRelease } from '../deployments/types/static/release.ts'
import type { SiteRelease } from '../deployments/types/static/retention.ts'

/** Predefined scenario, by its name, or a composed one. */
export type RequestedScenario = RehearsalScenarioName | ComposedScenario

/** Input of the rehearsal program, as JSON on standard input. */
export type RehearsalJob = {
  rehearsalId: string
  organizationId: string
  moduleInstanceId: string
  isRollback: boolean
  /** Of a rollback: data of the deployment that is known from the start. */
  known?: Partial<DeploymentData>
  pace: PollPace
  scenarios: RequestedScenario[]
} & RehearsedChange

/** Release with a copy of what it changes. */
export type RehearsedChange = EcsChange | Ec2Change | LambdaChange | StaticChange

export type EcsChange = {
  type: 'cloud:ecs'
  release: EcsRelease
  twin: EcsTwin
  /** Results of the checks at the start of the release. */
  startChecks?: StartChecks | undefined
}

export type Ec2Change = { type: 'cloud:ec2'; release: Ec2Release; twin: Ec2Twin }

export type LambdaChange = { type: 'cloud:lambda'; release: LambdaRelease; twin: LambdaTwin }

export type StaticChange = {
  type: 'cloud:static'
  release: StaticRelease
  twin: StaticTwin
  /** Releases from the bucket, which decide what directories are deleted. */
  pastReleases: SiteRelease[]
}

/** Output of the rehearsal program, as JSON on standard output. */
export type RehearsalOutput = { scenarios: RehearsalScenario[]; assumptions: string[] }

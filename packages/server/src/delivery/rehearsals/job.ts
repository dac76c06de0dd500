import type { RehearsalScenario, RehearsalScenarioName } from '@sluice/contract'
import { scenariosOfType } from '@sluice/contract/rehearsal-scenarios'
import type { Ec2Twin, EcsTwin, LambdaTwin } from '../../cloud/facts/twin.ts'
import type { PollPace } from '../deployments/execution/state.ts'
import type { Ec2Release } from '../deployments/types/ec2/release.ts'
import type { EcsRelease } from '../deployments/types/ecs/release.ts'
import type { StartChecks } from '../deployments/types/ecs/service-checks.ts'
import type { LambdaRelease } from '../deployments/types/lambda/release.ts'
import type { Release } from '../deployments/types/release.ts'

/** Input of the rehearsal program, as JSON on standard input. */
export type RehearsalJob = {
  rehearsalId: string
  organizationId: string
  moduleInstanceId: string
  pace: PollPace
  scenarios: RehearsalScenarioName[]
} & RehearsedChange

/** Release of a type that can be rehearsed. */
export type RehearsableRelease = RehearsedChange['release']

export const isRehearsable = (release: Release): release is RehearsableRelease => release.type in scenariosOfType

/** Release with a copy of what it changes. */
export type RehearsedChange = EcsChange | Ec2Change | LambdaChange

export type EcsChange = {
  type: 'cloud:ecs'
  release: EcsRelease
  twin: EcsTwin
  /** Results of the checks at the start of the release. */
  startChecks?: StartChecks | undefined
}

export type Ec2Change = { type: 'cloud:ec2'; release: Ec2Release; twin: Ec2Twin }

export type LambdaChange = { type: 'cloud:lambda'; release: LambdaRelease; twin: LambdaTwin }

/** Output of the rehearsal program, as JSON on standard output. */
export type RehearsalOutput = { scenarios: RehearsalScenario[]; assumptions: string[] }

import type { RehearsalScenario, RehearsalScenarioName } from '@sluice/contract'
import type { EcsTwin } from '../../cloud/facts/twin.ts'
import type { PollPace } from '../deployments/execution/state.ts'
import type { EcsRelease } from '../deployments/types/ecs/release.ts'
import type { StartChecks } from '../deployments/types/ecs/service-checks.ts'

/** Input of the rehearsal program, as JSON on standard input. */
export type RehearsalJob = {
  rehearsalId: string
  organizationId: string
  moduleInstanceId: string
  release: EcsRelease
  twin: EcsTwin
  /** Results of the checks at the start of the release. */
  startChecks?: StartChecks | undefined
  pace: PollPace
  scenarios: RehearsalScenarioName[]
}

/** Output of the rehearsal program, as JSON on standard output. */
export type RehearsalOutput = { scenarios: RehearsalScenario[]; assumptions: string[] }

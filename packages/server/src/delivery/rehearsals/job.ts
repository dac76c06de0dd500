import type { RehearsalScenario, RehearsalScenarioName } from '@sluice/contract'
import type { EcsTwin } from '../../cloud/facts/twin.ts'
import type { PollPace } from '../deployments/execution/state.ts'
import type { EcsRelease } from '../deployments/types/ecs/release.ts'
import type { StartChecks } from '../deployments/types/ecs/service-checks.ts'

/** What the program that rehearses reads from its standard input, as JSON. */
export type RehearsalJob = {
  rehearsalId: string
  organizationId: string
  moduleInstanceId: string
  release: EcsRelease
  twin: EcsTwin
  /** What the checks at the start of the release find in the account. */
  startChecks?: StartChecks | undefined
  pace: PollPace
  scenarios: RehearsalScenarioName[]
}

/** What it writes to its standard output, as JSON. */
export type RehearsalOutput = { scenarios: RehearsalScenario[]; assumptions: string[] }

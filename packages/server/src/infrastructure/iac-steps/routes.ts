import { documentBounds } from '@sluice/contract/bounded-json'
import {
  AcquirePlan,
  AppliedReport,
  defaultMaxPlanBytes,
  PlanReport,
  runnerPaths,
  SensitiveVariables,
} from '@sluice/contract/runner-protocol'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import type { Assignments } from '../../pipelines/runner/assignments.ts'
import { type AttemptEndpointParts, attemptEndpoints } from '../../pipelines/runner/attempt-endpoint.ts'
import { serveEndpoints } from '../../pipelines/runner/endpoints.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import type { RecordParts } from './record-apply.ts'
import { recordPlan } from './record-plan.ts'
import { hideInput } from './shown-input.ts'
import { storeApplyResult } from './store-apply-result.ts'
import { leasePlan } from './take-plan.ts'

/** Maximum request size in bytes: states of thousands of resources take tens of megabytes, and base64 adds a third. */
const stateBytes = 96 * 1024 * 1024

type IacStepParts = Omit<AttemptEndpointParts, 'ofOrganization'> & Omit<RecordParts, 'db'> & { handOut: Assignments }

/** Registers the endpoints for attempts of IaC steps: plans, permission to apply, and results. */
export function serveIacSteps(app: App, parts: IacStepParts): void {
  const door = attemptEndpoints({ ...parts, ofOrganization: app.ofOrganization })
  const { mosts } = app.limits
  const own = ({ organizationId }: PipelineStepExecutionRow) => ({
    ...parts,
    mosts,
    db: app.ofOrganization(organizationId),
  })
  serveEndpoints(app, (add) => {
    add(
      door(runnerPaths.sensitiveVariables, SensitiveVariables, async (step, { names }) => {
        await hideInput(own(step).db, step, names)
        return undefined
      }),
    )
    add(
      door(
        runnerPaths.plan,
        PlanReport,
        async (step, report) => {
          const { ordered, mask } = await parts.handOut.known(step)
          if (!ordered) throw new ApiError('attemptOver', 'The attempt has nothing left to plan.')
          return recordPlan(own(step), step, { ...ordered, secrets: [...mask.secrets] }, report)
        },
        { bodyLimit: mosts.planBytes ?? defaultMaxPlanBytes, bounds: documentBounds },
      ),
    )
    add(door(runnerPaths.takePlan, AcquirePlan, (step, wish) => leasePlan(own(step), step, wish)))
    const ofState = { bodyLimit: stateBytes, bounds: documentBounds }
    add(door(runnerPaths.applied, AppliedReport, (step, report) => storeApplyResult(own(step), step, report), ofState))
  })
}

import type { ApprovalSubject } from '@sluice/contract'
import type { GitHosts } from '../../git/adapter/hosts.ts'
import { canDecide } from '../../pipelines/pipeline-runs/gates/approval.ts'
import { findApprovals, targetsOf } from '../../pipelines/pipeline-runs/gates/approval-targets.ts'
import { coveredPlans, stepsOf } from '../../pipelines/pipeline-versions/config/steps.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { commitsOf } from './commits.ts'
import { shownInputs } from './inputs.ts'
import { planned } from './plans.ts'
import { named } from './targets.ts'

/** Returns what an approval of the step decides about, or undefined if the step does not exist. */
export async function findApprovalSubject(
  hosts: GitHosts,
  db: Db,
  caller: Caller,
  id: string,
): Promise<ApprovalSubject | undefined> {
  const { organizationId } = caller
  const [approval] = await findApprovals(db, organizationId, [id])
  if (!approval) return undefined
  const { step, run, pipeline, version } = approval
  const plans = await planned(db, run, coveredPlans(stepsOf(version.config), step.stepId))
  const own = run.moduleInstanceId === null ? [] : [{ moduleInstanceId: run.moduleInstanceId }]
  const ofPlans = plans.map(({ stackId }) => ({ stackId }))
  const targets = await named(db, organizationId, [...own, ...(await targetsOf(db, approval)), ...ofPlans])
  const approvers = step.approval?.approvers
  return present({
    pipelineId: pipeline.id,
    pipelineName: pipeline.name,
    pipelineRunId: run.id,
    runNumber: run.number,
    runDescription: run.description ?? undefined,
    // A run of an instance gets all inputs of its module, so the plan is more informative.
    runInputs: run.moduleInstanceId === null ? shownInputs(run.inputs) : {},
    requestedBy: run.triggeredBy,
    requestedAt: run.createdAt.toISOString(),
    targets,
    plans: plans.map(({ shown }) => shown),
    commits: await commitsOf(db, hosts, run, plans),
    isApprover: approvers === undefined || canDecide(caller, approvers),
  })
}

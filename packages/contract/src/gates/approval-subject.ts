import { type Static, Type } from 'typebox'
import { IacPlan } from '../infrastructure/iac-plan.ts'
import { IacChangeReasons, IacResource } from '../infrastructure/iac-resource.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const
const plan = IacPlan.properties
const resource = IacResource.properties

export const ApprovalTarget = Type.Object(
  {
    moduleInstanceId: Type.Optional(Id),
    name: Type.String({ description: 'Name of the module instance, or of the stack if there is no module instance.' }),
    projectName: Type.String({ description: 'Name of the project.' }),
    environmentName: Type.Optional(Type.String({ description: 'Name of the environment.' })),
  },
  { ...closed, description: 'Module instance or stack that the run releases to or whose infrastructure it changes.' },
)
export type ApprovalTarget = Static<typeof ApprovalTarget>

export const ApprovalPlan = Type.Object(
  {
    planId: Id,
    stackName: Type.String({ description: 'Name of the stack that the plan changes.' }),
    kind: plan.kind,
    changeCounts: plan.changeCounts,
    cost: plan.cost,
    review: plan.review,
    lost: Type.Array(
      Type.Object(
        {
          address: resource.address,
          changeType: resource.changeType,
          reasons: Type.Optional(IacChangeReasons.properties.reasons),
        },
        { ...closed, description: 'Resource that the plan deletes or replaces.' },
      ),
      {
        description:
          'Resources that the plan deletes, then those that it replaces. The list can be incomplete; the counts are complete.',
      },
    ),
  },
  { ...closed, description: 'Plan that is applied after approval.' },
)
export type ApprovalPlan = Static<typeof ApprovalPlan>

export const ApprovalCommit = Type.Object(
  {
    repository: Type.Optional(Type.String({ description: 'URL of the repository.' })),
    ref: Type.Optional(Type.String({ description: 'Branch or tag that resolved to the commit.' })),
    commit: Type.String({ description: 'Full commit SHA.' }),
    url: Type.Optional(
      Type.String({ description: 'URL of the commit on its git host. Present for connected repositories.' }),
    ),
  },
  { ...closed, description: 'Commit that is applied or that triggered the run.' },
)
export type ApprovalCommit = Static<typeof ApprovalCommit>

export const ApprovalSubject = Type.Object(
  {
    pipelineId: Id,
    pipelineName: Type.String({ description: "Name of the step's pipeline." }),
    pipelineRunId: Id,
    runNumber: Type.Integer({ minimum: 1, description: 'Number of the run within its pipeline.' }),
    runDescription: Type.Optional(Type.String({ description: 'Description of the run.' })),
    runInputs: {
      ...FreeFormObject,
      description: 'Inputs of the run: strings, numbers and booleans. Long values are truncated.',
    },
    requestedBy: Type.String({ description: 'Name of the user or trigger that started the run.' }),
    requestedAt: UtcDateTime,
    targets: Type.Array(ApprovalTarget, {
      description: 'Module instances and stacks that change, as far as they are known.',
    }),
    plans: Type.Array(ApprovalPlan, { description: 'Plans that are applied after approval.' }),
    commits: Type.Array(ApprovalCommit, { description: 'Commits that are applied or that triggered the run.' }),
    isApprover: Type.Boolean({
      description: 'Whether the step allows the caller to decide. True if the step names no approvers.',
    }),
  },
  { ...closed, description: 'Subject of a decision about a step.' },
)
export type ApprovalSubject = Static<typeof ApprovalSubject>

/** Data that `include` can add to a step that waits for approval. */
export const approvalSubjectIncludes = {
  subject: {
    ...ApprovalSubject,
    description: 'Subject of the decision: targets, plans, commits and the user who started the run.',
  },
} as const

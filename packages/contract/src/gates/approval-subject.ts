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
    name: Type.String({ description: 'What the module instance is called; where there is none, the stack.' }),
    projectName: Type.String({ description: 'The project that it is in.' }),
    environmentName: Type.Optional(Type.String({ description: 'The environment that it is in.' })),
  },
  { ...closed, description: 'Something that the steps release to, or change the infrastructure of.' },
)
export type ApprovalTarget = Static<typeof ApprovalTarget>

export const ApprovalPlan = Type.Object(
  {
    planId: Id,
    stackName: Type.String({ description: 'The stack that it changes.' }),
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
        { ...closed, description: 'A resource that is gone afterwards, or another one.' },
      ),
      { description: 'What is deleted, then what is replaced: the first of them; the counts tell how many there are.' },
    ),
  },
  { ...closed, description: 'A plan that would be applied.' },
)
export type ApprovalPlan = Static<typeof ApprovalPlan>

export const ApprovalCommit = Type.Object(
  {
    repository: Type.Optional(Type.String({ description: 'The address of the repository.' })),
    ref: Type.Optional(Type.String({ description: 'The branch or the tag that stood for it.' })),
    commit: Type.String({ description: 'The commit, whole.' }),
    url: Type.Optional(
      Type.String({ description: 'Where its git host shows it; of repositories that are connected.' }),
    ),
  },
  { ...closed, description: 'A commit that is applied or that set the run off.' },
)
export type ApprovalCommit = Static<typeof ApprovalCommit>

export const ApprovalSubject = Type.Object(
  {
    pipelineId: Id,
    pipelineName: Type.String({ description: 'The pipeline that the step is of.' }),
    pipelineRunId: Id,
    runNumber: Type.Integer({ minimum: 1, description: 'The number of the run among those of the pipeline.' }),
    runDescription: Type.Optional(Type.String({ description: 'What the run is about.' })),
    runInputs: {
      ...FreeFormObject,
      description: 'What the run was given: texts, numbers and switches, cut where long.',
    },
    askedBy: Type.String({ description: 'Who or what set the run off, for people.' }),
    askedAt: UtcDateTime,
    targets: Type.Array(ApprovalTarget, { description: 'What is changed, as far as it is known yet.' }),
    plans: Type.Array(ApprovalPlan, { description: 'What would be applied, as planned.' }),
    commits: Type.Array(ApprovalCommit, { description: 'Of which code.' }),
    isApprover: Type.Boolean({
      description: 'Whether the caller is one of those whom the step names to decide, or it names nobody.',
    }),
  },
  { ...closed, description: 'What a decision about the step is about.' },
)
export type ApprovalSubject = Static<typeof ApprovalSubject>

/** What can be asked for beside a step that waits for approval. */
export const subjectIncluded = {
  subject: {
    ...ApprovalSubject,
    description: 'What a decision about it is about: what is changed where, by what plan and commit, and who asked.',
  },
} as const

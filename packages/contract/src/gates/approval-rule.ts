import { type Static, Type } from 'typebox'
import { DecisionActor } from '../delivery/decision.ts'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { Reason } from './freeze.ts'

const closed = { additionalProperties: false } as const

const rules = {
  name: Name,
  reason: Type.Optional({ ...Reason, description: 'Why, for those whom it stops and those who decide.' }),
  requiredApprovals: Type.Integer({ minimum: 1, maximum: 10, description: 'So many must approve.' }),
  teamIds: Type.Array(Id, {
    maxItems: 20,
    uniqueItems: true,
    description: 'Only who is in one of these teams counts; everybody who may approve there, where it is empty.',
  }),
  notStarter: Type.Boolean({
    description: 'Whether who started the release, or the run that releases, counts for nothing.',
  }),
  notAuthor: Type.Boolean({
    description: 'Whether who wrote the commit counts for nothing, where a push led to it.',
  }),
  serviceAccounts: Type.Boolean({ description: 'Whether approvals of service accounts count.' }),
  expiresAfterMinutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 43_200,
      description: 'A release that is not approved so long after it was asked for is cancelled. Absent: it waits on.',
    }),
  ),
  rollbacks: Type.Boolean({ description: 'Whether rollbacks are guarded, too.' }),
  guards: Type.Array(
    Type.Enum(['DEPLOYMENTS', 'STEPS', 'APPLIES', 'DESTROYS'], {
      description:
        'DEPLOYMENTS: releases before they begin. STEPS: steps that ask for approval. APPLIES and DESTROYS: steps that change or destroy infrastructure, also those that ask for nothing.',
    }),
    { minItems: 1, maxItems: 4, uniqueItems: true, description: 'What asks for approval by it.' },
  ),
  mode: Type.Enum(['ENFORCE', 'WARN'], {
    description: 'WARN stops nothing, and notes in the audit log what it would have asked for.',
  }),
}

const places = { projectId: Type.Optional(Id), environmentId: Type.Optional(Id), moduleInstanceId: Type.Optional(Id) }

export const ApprovalRule = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    ...places,
    ...rules,
    createdBy: Type.String({ description: 'Who made it.' }),
  },
  {
    ...closed,
    description: 'Who must approve before something is released in a place, or a step goes on, and how many of them.',
  },
)
export type ApprovalRule = Static<typeof ApprovalRule>

export const CreateApprovalRule = Type.Object(
  {
    ...places,
    ...rules,
    requiredApprovals: Type.Optional({ ...rules.requiredApprovals, description: 'So many must approve. Absent: 1.' }),
    teamIds: Type.Optional(rules.teamIds),
    notStarter: Type.Optional(rules.notStarter),
    notAuthor: Type.Optional(rules.notAuthor),
    serviceAccounts: Type.Optional(rules.serviceAccounts),
    rollbacks: Type.Optional(rules.rollbacks),
    guards: Type.Optional({ ...rules.guards, description: 'What asks for approval by it. Absent: DEPLOYMENTS.' }),
    mode: Type.Optional(rules.mode),
  },
  {
    ...closed,
    description: 'A new rule, of the narrowest place that is named; of the whole organization where none is.',
  },
)
export type CreateApprovalRule = Static<typeof CreateApprovalRule>

export const UpdateApprovalRule = Type.Partial(
  Type.Object(
    {
      ...rules,
      expiresAfterMinutes: Type.Union([rules.expiresAfterMinutes, Type.Null()], {
        description: 'Minutes; null: it waits on.',
      }),
    },
    closed,
  ),
  {
    ...closed,
    description: 'What is to change about a rule; where it holds does not. What waits is judged by it as it is then.',
  },
)
export type UpdateApprovalRule = Static<typeof UpdateApprovalRule>

const ReleaseDigest = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'What is released, in short: a decision that carries it is about exactly that.',
})

/** Beside a decision about a release that waits. */
export const DecideDeployment = Type.Object(
  {
    comment: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: 'Why.' })),
    releaseDigest: Type.Optional({
      ...ReleaseDigest,
      description: 'As `included.approval` of the deployment told it; another one is refused.',
    }),
  },
  { ...closed, description: 'What is said of the decision.' },
)
export type DecideDeployment = Static<typeof DecideDeployment>

/** In whose place a delegate decided. */
export const InPlaceOf = Type.Array(
  Type.Object(
    { id: { ...Id, description: 'The membership.' }, name: Type.String({ description: 'What people call it.' }) },
    { ...closed, description: 'A member who named them a delegate.' },
  ),
  { description: 'In whose place it counted, by a delegation; absent where it is their own.' },
)
export type InPlaceOf = Static<typeof InPlaceOf>

export const Approval = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    deploymentId: Id,
    verdict: Type.Enum(['APPROVED', 'REJECTED'], { description: 'What was decided.' }),
    actor: DecisionActor,
    inPlaceOf: Type.Optional(InPlaceOf),
    comment: Type.Optional(Type.String({ description: 'Why.' })),
    releaseDigest: ReleaseDigest,
  },
  { ...closed, description: "Somebody's decision about a release." },
)
export type Approval = Static<typeof Approval>

export const ApprovalDemand = Type.Object(
  {
    ruleId: { ...Id, description: 'Of the approval rule, or of the policy that asks.' },
    name: Type.String({ description: 'Its name.' }),
    reason: Type.Optional(Reason),
    mode: rules.mode,
    requiredApprovals: rules.requiredApprovals,
    given: Type.Integer({ minimum: 0, description: 'So many have approved whom the rule counts.' }),
    isMet: Type.Boolean({ description: 'Whether those are enough.' }),
    teams: Type.Array(
      Type.Object(
        { id: Id, name: Type.String({ description: 'As people call it; its id where it is gone.' }) },
        { ...closed, description: 'A team.' },
      ),
      { description: 'Only who is in one of these counts; everybody who may approve there, where it is empty.' },
    ),
    notStarter: rules.notStarter,
    notAuthor: Type.Optional(rules.notAuthor),
    serviceAccounts: rules.serviceAccounts,
    expiresAt: Type.Optional({ ...UtcDateTime, description: 'Until when it waits.' }),
  },
  { ...closed, description: 'What a rule asks for.' },
)
export type ApprovalDemand = Static<typeof ApprovalDemand>

export const DeploymentApproval = Type.Object(
  {
    isAwaited: Type.Boolean({ description: 'Whether it waits, and a rule that is enforced asks for more.' }),
    releaseDigest: ReleaseDigest,
    askedAt: Type.Optional({ ...UtcDateTime, description: 'Since when nothing but approval keeps it waiting.' }),
    demands: Type.Array(ApprovalDemand, {
      description: 'What rules ask for; of what does not wait any more, what they asked for then.',
    }),
    caller: Type.Object(
      {
        mayDecide: Type.Boolean({ description: 'Whether a decision of whoever asks counts.' }),
        reason: Type.Optional(Type.String({ description: 'Why it does not.' })),
        hasApproved: Type.Boolean({ description: 'Whether that is an approval which stands already.' }),
      },
      { ...closed, description: 'What it is to whoever asks.' },
    ),
  },
  { ...closed, description: 'Who must approve, and how many have.' },
)
export type DeploymentApproval = Static<typeof DeploymentApproval>

export const StepApproval = Type.Object(
  {
    isAwaited: Type.Boolean({ description: 'Whether it waits, and a rule that is enforced asks for more.' }),
    demands: Type.Array(ApprovalDemand, { description: 'What rules ask for; nothing once it waits no more.' }),
    approvals: Type.Array(
      Type.Object(
        {
          createdAt: UtcDateTime,
          actor: DecisionActor,
          inPlaceOf: Type.Optional(InPlaceOf),
          comment: Type.Optional(Type.String({ description: 'Why.' })),
        },
        { ...closed, description: 'That somebody approved.' },
      ),
      { description: 'Who has approved it as it is now, oldest first.' },
    ),
    caller: DeploymentApproval.properties.caller,
  },
  { ...closed, description: 'Who must approve a step by the rules, and how many have.' },
)
export type StepApproval = Static<typeof StepApproval>

/** What can be asked for beside a step. */
export const stepApprovalIncluded = { approval: StepApproval } as const

/** What can be asked for beside a deployment. */
export const approvalIncluded = { approval: DeploymentApproval } as const

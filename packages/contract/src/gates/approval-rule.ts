import { type Static, Type } from 'typebox'
import { DecisionActor } from '../delivery/decision.ts'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { Reason } from './freeze.ts'

const closed = { additionalProperties: false } as const

const rules = {
  name: Name,
  reason: Type.Optional({
    ...Reason,
    description: 'Reason for the rule, shown to users whom it blocks and to approvers.',
  }),
  requiredApprovals: Type.Integer({ minimum: 1, maximum: 10, description: 'Number of approvals required.' }),
  teamIds: Type.Array(Id, {
    maxItems: 20,
    uniqueItems: true,
    description:
      "IDs of the teams whose members' approvals count. If empty, approvals from everyone with permission to approve count.",
  }),
  excludeStarter: Type.Boolean({
    description:
      'Whether to ignore approvals from the user who started the release or the pipeline run. Defaults to false.',
  }),
  excludeAuthor: Type.Boolean({
    description:
      'Whether to ignore approvals from the author of the commit, for releases triggered by a push. Defaults to false.',
  }),
  serviceAccounts: Type.Boolean({ description: 'Whether approvals from service accounts count. Defaults to false.' }),
  expiresAfterMinutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 43_200,
      description: 'Minutes after which an unapproved release is cancelled. If absent, the release waits indefinitely.',
    }),
  ),
  rollbacks: Type.Boolean({ description: 'Whether the rule also applies to rollbacks. Defaults to false.' }),
  guards: Type.Array(
    Type.Enum(['DEPLOYMENTS', 'STEPS', 'APPLIES', 'DESTROYS'], {
      description:
        'Operation that the rule applies to. DEPLOYMENTS: releases, before they start. STEPS: pipeline steps that request approval. APPLIES and DESTROYS: steps that change or destroy infrastructure, including steps that request no approval.',
    }),
    { minItems: 1, maxItems: 4, uniqueItems: true, description: 'Operations that require approval under this rule.' },
  ),
  mode: Type.Enum(['ENFORCE', 'WARN'], {
    description:
      'ENFORCE blocks operations until they are approved. WARN blocks nothing and records in the audit log which approvals would have been required.',
  }),
}

const scopeFields = {
  projectId: Type.Optional(Id),
  environmentId: Type.Optional(Id),
  moduleInstanceId: Type.Optional(Id),
}

export const ApprovalRule = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    ...scopeFields,
    ...rules,
    createdBy: Type.String({ description: 'Name of the user or service account that created the rule.' }),
  },
  {
    ...closed,
    description: 'Rule that requires approvals before a release or a pipeline step in its scope starts.',
  },
)
export type ApprovalRule = Static<typeof ApprovalRule>

export const CreateApprovalRule = Type.Object(
  {
    ...scopeFields,
    ...rules,
    requiredApprovals: Type.Optional({
      ...rules.requiredApprovals,
      description: 'Number of approvals required. Defaults to 1.',
    }),
    teamIds: Type.Optional(rules.teamIds),
    excludeStarter: Type.Optional(rules.excludeStarter),
    excludeAuthor: Type.Optional(rules.excludeAuthor),
    serviceAccounts: Type.Optional(rules.serviceAccounts),
    rollbacks: Type.Optional(rules.rollbacks),
    guards: Type.Optional({
      ...rules.guards,
      description: 'Operations that require approval under this rule. Defaults to DEPLOYMENTS.',
    }),
    mode: Type.Optional(rules.mode),
  },
  {
    ...closed,
    description:
      'Fields of a new approval rule. The narrowest resource named is its scope; if none is named, the whole organization.',
  },
)
export type CreateApprovalRule = Static<typeof CreateApprovalRule>

export const UpdateApprovalRule = Type.Partial(
  Type.Object(
    {
      ...rules,
      expiresAfterMinutes: Type.Union([rules.expiresAfterMinutes, Type.Null()], {
        description:
          'Minutes after which an unapproved release is cancelled. null removes the expiry, so that releases wait indefinitely.',
      }),
    },
    closed,
  ),
  {
    ...closed,
    description:
      'Fields of an approval rule to change. The scope cannot be changed. Waiting operations are evaluated under the changed rule.',
  },
)
export type UpdateApprovalRule = Static<typeof UpdateApprovalRule>

const ReleaseDigest = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "Digest of the release's content. A decision with this digest applies to exactly this release.",
})

/** Request body of a decision about a waiting release. */
export const DecideDeployment = Type.Object(
  {
    comment: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: 'Comment on the decision.' })),
    releaseDigest: Type.Optional({
      ...ReleaseDigest,
      description:
        'Digest from `included.approval` of the deployment. The request fails if the release has changed since.',
    }),
  },
  { ...closed, description: 'Decision about a release.' },
)
export type DecideDeployment = Static<typeof DecideDeployment>

/** Members on whose behalf a delegate decided. */
export const Delegators = Type.Array(
  Type.Object(
    {
      id: { ...Id, description: 'ID of the membership.' },
      name: Type.String({ description: 'Display name of the member.' }),
    },
    { ...closed, description: 'Member who delegated their approvals.' },
  ),
  {
    description:
      'Members on whose behalf the decision counted, because they delegated their approvals. Absent if it counted for the approver alone.',
  },
)
export type Delegators = Static<typeof Delegators>

export const Approval = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    deploymentId: Id,
    verdict: Type.Enum(['APPROVED', 'REJECTED'], { description: 'Decision: approved or rejected.' }),
    actor: DecisionActor,
    onBehalfOf: Type.Optional(Delegators),
    comment: Type.Optional(Type.String({ description: 'Comment on the decision.' })),
    releaseDigest: ReleaseDigest,
  },
  { ...closed, description: 'Approval or rejection of a release.' },
)
export type Approval = Static<typeof Approval>

export const ApprovalRequirement = Type.Object(
  {
    ruleId: { ...Id, description: 'ID of the approval rule or policy that requires approval.' },
    name: Type.String({ description: 'Name of the rule or policy.' }),
    reason: Type.Optional(Reason),
    mode: rules.mode,
    requiredApprovals: rules.requiredApprovals,
    given: Type.Integer({ minimum: 0, description: 'Number of approvals so far that count under the rule.' }),
    isMet: Type.Boolean({ description: 'Whether there are enough approvals.' }),
    teams: Type.Array(
      Type.Object(
        { id: Id, name: Type.String({ description: 'Name of the team, or its ID if the team was deleted.' }) },
        { ...closed, description: 'Team whose members can approve.' },
      ),
      {
        description:
          "Teams whose members' approvals count. If empty, approvals from everyone with permission to approve count.",
      },
    ),
    excludeStarter: rules.excludeStarter,
    excludeAuthor: Type.Optional(rules.excludeAuthor),
    serviceAccounts: rules.serviceAccounts,
    expiresAt: Type.Optional({
      ...UtcDateTime,
      description: 'Time when the release is cancelled if it is still unapproved.',
    }),
  },
  { ...closed, description: 'Approvals that one rule or policy requires.' },
)
export type ApprovalRequirement = Static<typeof ApprovalRequirement>

export const DeploymentApproval = Type.Object(
  {
    isPending: Type.Boolean({
      description: 'Whether the release is waiting for approvals that an enforced rule requires.',
    }),
    releaseDigest: ReleaseDigest,
    requestedAt: Type.Optional({
      ...UtcDateTime,
      description: 'Time since when only approvals have blocked the release.',
    }),
    requirements: Type.Array(ApprovalRequirement, {
      description:
        'Approvals required by each rule. For a release that no longer waits, the approvals required at the time.',
    }),
    caller: Type.Object(
      {
        canDecide: Type.Boolean({ description: 'Whether a decision by the caller counts.' }),
        reason: Type.Optional(Type.String({ description: 'Reason why a decision by the caller does not count.' })),
        hasApproved: Type.Boolean({ description: 'Whether the caller has already approved this release.' }),
      },
      { ...closed, description: 'What the caller can decide.' },
    ),
  },
  { ...closed, description: 'Approvals that a release requires, and how many it has.' },
)
export type DeploymentApproval = Static<typeof DeploymentApproval>

export const StepApproval = Type.Object(
  {
    isPending: Type.Boolean({
      description: 'Whether the step is waiting for approvals that an enforced rule requires.',
    }),
    requirements: Type.Array(ApprovalRequirement, {
      description: 'Approvals required by each rule. Empty once the step no longer waits.',
    }),
    approvals: Type.Array(
      Type.Object(
        {
          createdAt: UtcDateTime,
          actor: DecisionActor,
          onBehalfOf: Type.Optional(Delegators),
          comment: Type.Optional(Type.String({ description: 'Comment on the approval.' })),
        },
        { ...closed, description: 'Approval of a step.' },
      ),
      { description: 'Approvals of the step in its current state, oldest first.' },
    ),
    caller: DeploymentApproval.properties.caller,
  },
  { ...closed, description: 'Approvals that rules require for a step, and how many it has.' },
)
export type StepApproval = Static<typeof StepApproval>

/** Data that `include` can add to a step. */
export const stepApprovalIncluded = { approval: StepApproval } as const

/** Data that `include` can add to a deployment. */
export const approvalIncluded = { approval: DeploymentApproval } as const

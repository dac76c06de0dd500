import { type Static, Type } from 'typebox'
import { Description, Name } from '../modules/naming.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { Reason } from './freeze.ts'

const closed = { additionalProperties: false } as const

/** Operations that a policy can apply to. They determine the variables of its expression. */
export const policyGuards = ['DEPLOYMENTS', 'PLANS', 'PIPELINE_VERSIONS'] as const
export type PolicyGuards = (typeof policyGuards)[number]

/**
 * Maximum length of an expression in characters. Parsing an expression of this length took at most 70 ms (2026-11-25).
 */
export const maxPolicyExpressionLength = 2_000

export const PolicyTest = Type.Object(
  {
    name: Name,
    given: { ...FreeFormObject, description: 'Values of the variables that the expression uses.' },
    expect: Type.Enum(['ALLOWED', 'VIOLATED'], { description: 'Expected result of the expression.' }),
  },
  { ...closed, description: "Test of a policy's expression. A policy with failing tests cannot be saved." },
)
export type PolicyTest = Static<typeof PolicyTest>

const Guards = Type.Enum(policyGuards, {
  description:
    'Operations that the policy evaluates. DEPLOYMENTS: releases when they are requested. PLANS: infrastructure plans before they are applied. PIPELINE_VERSIONS: pipeline versions when they are created.',
})

export const PolicyApproval = Type.Object(
  {
    requiredApprovals: Type.Integer({ minimum: 1, maximum: 10, description: 'Number of approvals required.' }),
    teamIds: Type.Array(Id, {
      maxItems: 20,
      uniqueItems: true,
      description:
        "IDs of the teams whose members' approvals count. If empty, approvals from everyone with permission to approve count.",
    }),
    excludeStarter: Type.Boolean({
      description:
        'Whether to ignore approvals from the user who started the release or run. Approvals from the author of a pipeline version never count.',
    }),
  },
  { ...closed, description: 'Approvals required for a violation if the effect is REQUIRE_APPROVAL.' },
)
export type PolicyApproval = Static<typeof PolicyApproval>

const rules = {
  name: Name,
  description: Type.Optional(Description),
  expression: Type.String({
    minLength: 1,
    maxLength: maxPolicyExpressionLength,
    description: 'Condition that must be true, in the Common Expression Language (CEL).',
    examples: ["deployment.images.all(image, image.tag != 'latest')"],
  }),
  message: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Message for users when the condition is false: what is wrong and how to fix it.',
  }),
  effect: Type.Enum(['DENY', 'REQUIRE_APPROVAL', 'WARN'], {
    description:
      "Effect of a violation. DENY rejects the operation, also if the expression cannot be evaluated. REQUIRE_APPROVAL makes the release, the apply step or the pipeline version's runs wait for approval. WARN blocks nothing and records the violation.",
  }),
  approval: Type.Optional(PolicyApproval),
  isEnabled: Type.Boolean({ description: 'Whether the policy is evaluated. Defaults to true.' }),
  rollbacks: Type.Boolean({
    description: 'Whether a policy that guards DEPLOYMENTS also evaluates rollbacks. Defaults to false.',
  }),
  tests: Type.Array(PolicyTest, { maxItems: 20, description: 'Tests to run whenever the policy is saved.' }),
}

const scopeFields = {
  projectId: Type.Optional(Id),
  environmentId: Type.Optional(Id),
  moduleInstanceId: Type.Optional(Id),
}

const Version = Type.Integer({ minimum: 1, description: 'Version number, increased with every change.' })

export const Policy = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    ...scopeFields,
    guards: Guards,
    version: Version,
    ...rules,
    createdBy: Type.String({ description: 'Name of the user or service account that created the policy.' }),
  },
  {
    ...closed,
    description:
      'Condition that releases, plans or pipeline versions in an organization, project, environment or module instance must meet.',
  },
)
export type Policy = Static<typeof Policy>
/** Content of a policy, without its guards and scope. */
export type PolicyRules = Pick<Policy, keyof typeof rules>

export const CreatePolicy = Type.Object(
  {
    ...scopeFields,
    guards: Guards,
    ...rules,
    effect: Type.Optional({ ...rules.effect, description: 'Effect of a violation. Defaults to DENY.' }),
    isEnabled: Type.Optional({ ...rules.isEnabled, description: 'Whether the policy is evaluated. Defaults to true.' }),
    rollbacks: Type.Optional(rules.rollbacks),
    tests: Type.Optional(rules.tests),
  },
  {
    ...closed,
    description:
      'Fields of a new policy. The narrowest resource named is its scope; if none is named, the whole organization.',
  },
)
export type CreatePolicy = Static<typeof CreatePolicy>

export const UpdatePolicy = Type.Partial(Type.Object(rules, closed), {
  ...closed,
  description:
    'Fields of a policy to change. Each change creates a new version. `guards` and the scope cannot be changed.',
})
export type UpdatePolicy = Static<typeof UpdatePolicy>

export const PolicyVersion = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    policyId: Id,
    version: Version,
    ...rules,
    createdBy: Type.String({ description: 'Name of the user or service account that wrote the version.' }),
  },
  { ...closed, description: 'Version of a policy.' },
)
export type PolicyVersion = Static<typeof PolicyVersion>

/** Resources that an override can exempt, depending on the policy's guards. */
const overrideScope = {
  moduleInstanceId: Type.Optional({
    ...Id,
    description: 'ID of the only module instance to exempt. For policies that guard DEPLOYMENTS or PLANS.',
  }),
  pipelineId: Type.Optional({
    ...Id,
    description: 'ID of the only pipeline to exempt. For policies that guard PIPELINE_VERSIONS.',
  }),
}

export const PolicyOverride = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    policyId: Id,
    ...overrideScope,
    reason: Reason,
    until: UtcDateTime,
    createdBy: Type.String({ description: 'Name of the user or service account that created the override.' }),
  },
  { ...closed, description: 'Temporary exemption from a policy.' },
)
export type PolicyOverride = Static<typeof PolicyOverride>

export const CreatePolicyOverride = Type.Object(
  {
    ...overrideScope,
    reason: Reason,
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1440,
        description: 'Minutes until the override ends, up to one day. Defaults to 60.',
      }),
    ),
  },
  {
    ...closed,
    description:
      'Fields of a new policy override. If neither a module instance nor a pipeline is named, the override exempts everything that the policy evaluates.',
  },
)
export type CreatePolicyOverride = Static<typeof CreatePolicyOverride>

export const PolicyVerdict = Type.Object(
  {
    policyId: Id,
    version: Version,
    name: Type.String({ description: 'Name of the policy.' }),
    effect: rules.effect,
    verdict: Type.Enum(['ALLOWED', 'VIOLATED', 'FAILED'], {
      description: 'Result of the evaluation. FAILED if the expression could not be evaluated.',
    }),
    message: Type.Optional(Type.String({ description: 'Message of the policy or of the failed evaluation.' })),
    approval: Type.Optional(PolicyApproval),
    override: Type.Optional(
      Type.Object(
        {
          reason: Reason,
          createdBy: Type.String({ description: 'Name of the user or service account that created the override.' }),
        },
        { ...closed, description: 'Override that exempted the operation.' },
      ),
    ),
  },
  { ...closed, description: 'Result of evaluating one version of a policy.' },
)
export type PolicyVerdict = Static<typeof PolicyVerdict>

/** Data that `include` can add to a deployment or a pipeline version. */
export const policiesIncluded = {
  policies: Type.Array(PolicyVerdict, { description: 'Policy decisions made when the operation was requested.' }),
} as const

export const DryRunPolicy = Type.Object(
  {
    ...scopeFields,
    guards: Type.Enum(policyGuards, { description: 'Operations to evaluate.' }),
    expression: rules.expression,
    rollbacks: Type.Optional({
      ...rules.rollbacks,
      description: 'Whether to include rollbacks if `guards` is DEPLOYMENTS. Defaults to false.',
    }),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 500,
        description: 'Number of most recent operations to evaluate. Defaults to 100.',
      }),
    ),
  },
  { ...closed, description: 'Policy to try on past operations, and its scope.' },
)
export type DryRunPolicy = Static<typeof DryRunPolicy>

export const PolicyDryRun = Type.Object(
  {
    evaluatedCount: Type.Integer({ minimum: 0, description: 'Number of operations evaluated.' }),
    since: Type.Optional({
      ...UtcDateTime,
      description: 'Time when the oldest evaluated operation was requested or created.',
    }),
    blocked: Type.Array(
      Type.Object(
        {
          deploymentId: Type.Optional({ ...Id, description: 'ID of the deployment.' }),
          iacPlanId: Type.Optional({ ...Id, description: 'ID of the plan.' }),
          pipelineRunId: Type.Optional({ ...Id, description: 'ID of the pipeline run that created the plan.' }),
          pipelineVersionId: Type.Optional({ ...Id, description: 'ID of the pipeline version.' }),
          pipelineId: Type.Optional({ ...Id, description: 'ID of the pipeline of the version.' }),
          createdAt: UtcDateTime,
          verdict: Type.Enum(['VIOLATED', 'FAILED'], { description: 'Reason why it would have been blocked.' }),
          reason: Type.Optional(Type.String({ description: 'Reason why the expression could not be evaluated.' })),
        },
        { ...closed, description: 'Operation that the policy would have blocked.' },
      ),
      { description: 'Operations that the policy would have blocked, newest first.' },
    ),
  },
  { ...closed, description: 'Result of a policy dry run.' },
)
export type PolicyDryRun = Static<typeof PolicyDryRun>

export const BundledPolicy = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the bundled policy.', examples: ['no-latest-tag'] }),
    guards: Guards,
    name: rules.name,
    description: Description,
    expression: rules.expression,
    message: rules.message,
    effect: rules.effect,
    tests: rules.tests,
  },
  { ...closed, description: 'Policy bundled with Sluice as a template.' },
)
export type BundledPolicy = Static<typeof BundledPolicy>

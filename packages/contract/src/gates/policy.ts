import { type Static, Type } from 'typebox'
import { Description, Name } from '../modules/naming.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { Reason } from './freeze.ts'

const closed = { additionalProperties: false } as const

/** What a policy may guard; what its expression sees depends on it. */
export const policyGuards = ['DEPLOYMENTS', 'PLANS', 'PIPELINE_VERSIONS'] as const
export type PolicyGuards = (typeof policyGuards)[number]

/** Of an expression. Characters: reading one so long took 70 ms at most (2026-11-25). */
export const longestPolicyExpression = 2_000

export const PolicyTest = Type.Object(
  {
    name: Name,
    given: { ...FreeFormObject, description: 'What the expression sees: its variables, as far as it asks for them.' },
    expect: Type.Enum(['ALLOWED', 'VIOLATED'], { description: 'What it must come to.' }),
  },
  { ...closed, description: 'What an expression must come to; a policy whose tests fail is not kept.' },
)
export type PolicyTest = Static<typeof PolicyTest>

const Guards = Type.Enum(policyGuards, {
  description:
    'What is judged by it: DEPLOYMENTS when they are asked for, PLANS when they are about to be applied, PIPELINE_VERSIONS when they are made.',
})

export const PolicyApproval = Type.Object(
  {
    requiredApprovals: Type.Integer({ minimum: 1, maximum: 10, description: 'So many must approve.' }),
    teamIds: Type.Array(Id, {
      maxItems: 20,
      uniqueItems: true,
      description: 'Only who is in one of these teams counts; everybody who may approve there, where it is empty.',
    }),
    notStarter: Type.Boolean({
      description:
        'Whether who started the release or the run counts for nothing. Who wrote a version of a pipeline never does.',
    }),
  },
  { ...closed, description: 'Who must approve what violates it, where the effect is REQUIRE_APPROVAL.' },
)
export type PolicyApproval = Static<typeof PolicyApproval>

const rules = {
  name: Name,
  description: Type.Optional(Description),
  expression: Type.String({
    minLength: 1,
    maxLength: longestPolicyExpression,
    description: 'What must be true, in the Common Expression Language (CEL).',
    examples: ["deployment.images.all(image, image.tag != 'latest')"],
  }),
  message: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'What is wrong where it is not true, and what to do, for those whom it stops.',
  }),
  effect: Type.Enum(['DENY', 'REQUIRE_APPROVAL', 'WARN'], {
    description:
      'DENY refuses what violates it, and what it could not be evaluated for. REQUIRE_APPROVAL has such a release, the step that applies such a plan, or the runs of such a version of a pipeline wait until people approve it. WARN stops nothing, and notes it.',
  }),
  approval: Type.Optional(PolicyApproval),
  isEnabled: Type.Boolean({ description: 'Whether anything is judged by it.' }),
  rollbacks: Type.Boolean({ description: 'Of DEPLOYMENTS: whether rollbacks are judged, too.' }),
  tests: Type.Array(PolicyTest, { maxItems: 20, description: 'Run whenever it is saved.' }),
}

const places = { projectId: Type.Optional(Id), environmentId: Type.Optional(Id), moduleInstanceId: Type.Optional(Id) }

const Version = Type.Integer({ minimum: 1, description: 'Counts its changes.' })

export const Policy = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    ...places,
    guards: Guards,
    version: Version,
    ...rules,
    createdBy: Type.String({ description: 'Who made it.' }),
  },
  {
    ...closed,
    description:
      'What must be true of what is released, applied or run in an organization, a project, an environment or an instance.',
  },
)
export type Policy = Static<typeof Policy>
/** What a policy says, whatever it guards and wherever. */
export type PolicyRules = Pick<Policy, keyof typeof rules>

export const CreatePolicy = Type.Object(
  {
    ...places,
    guards: Guards,
    ...rules,
    effect: Type.Optional({ ...rules.effect, description: 'What it does. Absent: DENY.' }),
    isEnabled: Type.Optional({ ...rules.isEnabled, description: 'Whether anything is judged by it. Absent: true.' }),
    rollbacks: Type.Optional(rules.rollbacks),
    tests: Type.Optional(rules.tests),
  },
  {
    ...closed,
    description: 'A new policy, of the narrowest place that is named; of the whole organization where none is.',
  },
)
export type CreatePolicy = Static<typeof CreatePolicy>

export const UpdatePolicy = Type.Partial(Type.Object(rules, closed), {
  ...closed,
  description: 'What is to change about a policy, which makes a new version; what it guards, and where, does not.',
})
export type UpdatePolicy = Static<typeof UpdatePolicy>

export const PolicyVersion = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    policyId: Id,
    version: Version,
    ...rules,
    createdBy: Type.String({ description: 'Who wrote it.' }),
  },
  { ...closed, description: 'A policy as it was from one change to the next.' },
)
export type PolicyVersion = Static<typeof PolicyVersion>

/** What may be let past: as the policy guards. */
const passing = {
  moduleInstanceId: Type.Optional({ ...Id, description: 'Of DEPLOYMENTS and PLANS: only what is of this instance.' }),
  pipelineId: Type.Optional({ ...Id, description: 'Of PIPELINE_VERSIONS: only versions of this pipeline.' }),
}

export const PolicyOverride = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    policyId: Id,
    ...passing,
    reason: Reason,
    until: UtcDateTime,
    createdBy: Type.String({ description: 'Who let it past.' }),
  },
  { ...closed, description: 'What goes on in spite of a policy, and until when.' },
)
export type PolicyOverride = Static<typeof PolicyOverride>

export const CreatePolicyOverride = Type.Object(
  {
    ...passing,
    reason: Reason,
    minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1440, description: 'For how long, a day at most. Absent: an hour.' }),
    ),
  },
  {
    ...closed,
    description: 'Lets an instance or a pipeline past a policy, or all that it stops where neither is named.',
  },
)
export type CreatePolicyOverride = Static<typeof CreatePolicyOverride>

export const PolicyVerdict = Type.Object(
  {
    policyId: Id,
    version: Version,
    name: Type.String({ description: 'The name of the policy.' }),
    effect: rules.effect,
    verdict: Type.Enum(['ALLOWED', 'VIOLATED', 'FAILED'], {
      description: 'What came of it; FAILED where it could not be evaluated.',
    }),
    message: Type.Optional(Type.String({ description: 'What is wrong.' })),
    approval: Type.Optional(PolicyApproval),
    override: Type.Optional(
      Type.Object(
        { reason: Reason, createdBy: Type.String({ description: 'Who let it past.' }) },
        { ...closed, description: 'Why it went on all the same.' },
      ),
    ),
  },
  { ...closed, description: 'What came of a policy, by the version that was asked.' },
)
export type PolicyVerdict = Static<typeof PolicyVerdict>

/** What can be asked for beside a deployment or a version of a pipeline. */
export const policiesIncluded = {
  policies: Type.Array(PolicyVerdict, { description: 'What it was judged by when it was asked for.' }),
} as const

export const DryRunPolicy = Type.Object(
  {
    ...places,
    guards: Type.Enum(policyGuards, { description: 'What is looked back on.' }),
    expression: rules.expression,
    rollbacks: Type.Optional({
      ...rules.rollbacks,
      description: 'Of DEPLOYMENTS: whether rollbacks are looked at, too. Absent: no.',
    }),
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: 'The latest so many are looked at. Absent: 100.' }),
    ),
  },
  { ...closed, description: 'What a policy would say, and where.' },
)
export type DryRunPolicy = Static<typeof DryRunPolicy>

export const PolicyDryRun = Type.Object(
  {
    judged: Type.Integer({ minimum: 0, description: 'So many were looked at.' }),
    since: Type.Optional({ ...UtcDateTime, description: 'When the oldest of them was asked for or made.' }),
    stopped: Type.Array(
      Type.Object(
        {
          deploymentId: Type.Optional({ ...Id, description: 'The deployment.' }),
          iacPlanId: Type.Optional({ ...Id, description: 'Or the plan,' }),
          pipelineRunId: Type.Optional({ ...Id, description: 'and the run that made it.' }),
          pipelineVersionId: Type.Optional({ ...Id, description: 'Or the version,' }),
          pipelineId: Type.Optional({ ...Id, description: 'and the pipeline that it is of.' }),
          createdAt: UtcDateTime,
          verdict: Type.Enum(['VIOLATED', 'FAILED'], { description: 'Why it would have been stopped.' }),
          reason: Type.Optional(Type.String({ description: 'Why it could not be evaluated.' })),
        },
        { ...closed, description: 'What it would have stopped.' },
      ),
      { description: 'Those that it would have stopped, the newest first.' },
    ),
  },
  { ...closed, description: 'What a policy would have stopped.' },
)
export type PolicyDryRun = Static<typeof PolicyDryRun>

export const BundledPolicy = Type.Object(
  {
    id: Type.String({ description: 'What it is called here.', examples: ['no-latest-tag'] }),
    guards: Guards,
    name: rules.name,
    description: Description,
    expression: rules.expression,
    message: rules.message,
    effect: rules.effect,
    tests: rules.tests,
  },
  { ...closed, description: 'A policy that comes with Sluice, to start one of your own from.' },
)
export type BundledPolicy = Static<typeof BundledPolicy>
